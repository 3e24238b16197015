import { GatewayError } from "../errors.ts";

/** Asks the store. Throws a 503 where it does not answer; what a caller is to be told goes on as it is. */
export async function whileAvailable<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    throw error instanceof GatewayError ? error : storeAway(error);
  }
}

export function storeAway(cause?: unknown): GatewayError {
  const message = "Responses cannot be stored or read at the moment; try again shortly, or send 'store: false'.";
  return new GatewayError("overloaded_error", message, { code: "storage_unavailable", retryAfterSeconds: 5, cause });
}
