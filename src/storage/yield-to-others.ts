import { setPriority } from "node:os";

/** The lowest priority that a thread can have. */
const lowest = 19;

/**
 * Lets others go first from now on, where processors are scarce. On Linux this concerns the calling thread alone.
 * @param niceness 1 to 19, the lowest priority
 */
export function yieldToOthers(niceness = lowest): void {
  try {
    setPriority(0, niceness);
  } catch {
    // Some sandboxes forbid it. The work is the same at the usual priority.
  }
}
