import { rmSync } from "node:fs";

/** Removes a file. One that cannot be reached any more, since its folder was removed for example, is as good as removed. */
export function removeIfThere(path: string): void {
  try {
    rmSync(path);
  } catch {
    // Whatever the reason, the next start looks at what is left.
  }
}
