import { setPriority } from "node:os";

/** The lowest priority that a thread can have. */
const lowest = 19;

/** Lets all others go first from now on, where processors are scarce. On Linux this concerns the calling thread alone. */
export function yieldToOthers(): void {
  try {
    setPriority(0, lowest);
  } catch {
    // Some sandboxes forbid it. The work is the same at the usual priority.
  }
}
