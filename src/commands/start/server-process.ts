import { constants } from "node:os";

export type StopSignal = "SIGINT" | "SIGTERM";

/**
 * Resolves on the first SIGINT or SIGTERM, so that the caller can stop gracefully. A second one ends the process at once,
 * with the conventional exit code (130 or 143).
 */
export function awaitStopSignal(): Promise<StopSignal> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ["SIGINT", "SIGTERM"] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(128 + constants.signals[signal]);
        isStopping = true;
        resolve(signal);
      });
    }
  });
}

/** Returns the message if a server could not listen; null for other errors. */
export function listenFailure(error: unknown, host: string, port: number): string | null {
  const code = error instanceof Error && "code" in error ? error.code : null;
  const address = `${host}:${port}`;
  switch (code) {
    case "EADDRINUSE":
      return `cannot listen on ${address}: the port is in use. Choose another one (0 selects a free port).`;
    case "EACCES":
      return `cannot listen on ${address}: permission denied. Choose a port above 1023.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return `cannot listen on ${address}: this machine does not have this address.`;
    default:
      return null;
  }
}
