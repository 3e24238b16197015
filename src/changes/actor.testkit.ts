import type { Actor } from "./change.ts";

/** Who makes the changes of a test. */
export const tester: Actor = { kind: "command_line", user: "tester" };
