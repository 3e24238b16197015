import type { BackendReading, OtherBackend } from "./read-backend.ts";

/** Reads single stored backends. Loaded on first use: the validation is slow to load, and rarely needed. */
export async function readStoredBackend(value: unknown, others: readonly OtherBackend[]): Promise<BackendReading> {
  const { readBackend } = await import("./read-backend.ts");
  return readBackend(value, others);
}
