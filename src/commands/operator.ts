import { userInfo } from "node:os";
import type { Actor } from "../changes/change.ts";

/** The user who runs a command, for the audit trail: as the operating system knows them, whatever `$USER` says. */
export function operator(): Actor {
  return { kind: "command_line", user: systemUser() };
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
}
