import { userInfo } from "node:os";
import type { Actor } from "../changes/change.ts";

/** The user who runs a command, for the audit trail. */
export function operator(): Actor {
  return { kind: "command_line", user: systemUser() };
}

/** The name that the operating system knows. Bun's `userInfo` believes `$USER`, which anyone can set. */
function systemUser(): string {
  const { uid } = userInfo();
  try {
    const name = Bun.spawnSync(["id", "-un"]).stdout.toString().trim();
    // A container may run under a number that has no name.
    return name === "" ? `uid ${uid}` : name;
  } catch {
    return `uid ${uid}`;
  }
}
