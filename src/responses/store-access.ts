import { GatewayError } from "../errors.ts";

const maxIdLength = 256;

/** Whether this can be an id, and may be passed to the store. */
export function isId(id: string): boolean {
  return id.length <= maxIdLength && !id.includes("\u0000");
}

/** Calls the store. A failure of the store becomes a 503; a `GatewayError` is passed on. */
export async function whileAvailable<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof GatewayError ? error : storageUnavailable(error);
  }
}

export function storageUnavailable(cause?: unknown): GatewayError {
  const message = "Responses cannot be stored or read at the moment. Try again shortly, or send 'store: false'.";
  return GatewayError.of("storage_unavailable", message, { retryAfterSeconds: 5, cause });
}
