import { constants } from "node:os";

export type StopSignal = "SIGINT" | "SIGTERM";

/**
 * Resolves at the first SIGINT or SIGTERM: the caller stops gracefully. A second one ends the process at once, with
 * the exit code that shells give for it (130 or 143).
 */
export function awaitStopSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    let asked = false;
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (asked) process.exit(128 + constants.signals[signal]);
        asked = true;
        resolve(signal);
      });
    }
  });
}
