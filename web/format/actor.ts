import type { Change } from "../api/types.ts";
import { words } from "../words/en.ts";

/** Who made or changed something, in words. */
export function actorName(by: Change["by"]): string {
  switch (by.kind) {
    case "key":
      return words.changes.byKey(by.id);
    case "command_line":
      return words.changes.byCommand(by.user);
    case "console":
      return by.user;
    case "gateway":
      return words.changes.byGateway;
  }
}
