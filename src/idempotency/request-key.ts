import type { RequestHeaders } from "../http/headers.ts";
import { invalidRequest } from "../errors.ts";

const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/** Reads the `Idempotency-Key` of a request; null if it has none. Throws a 400 if it is invalid. */
export function readIdempotencyKey(headers: RequestHeaders): string | null {
  const key = headers.get("idempotency-key");
  if (key === null || visibleAscii.test(key)) return key;
  const message = "The header 'Idempotency-Key' must be 1 to 255 visible ASCII characters.";
  throw invalidRequest("invalid_parameter", message, "Idempotency-Key");
}

/**
 * Hashes what a request asks for into 64 hexadecimal digits: its path (which may name the model), its query without the
 * API key (which may select the format of the answer), and its body.
 */
export function bodyHash(path: string, url: string, body: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256")
    .update(`${path}${queryOf(url)}\0`)
    .update(body)
    .digest("hex");
}

function queryOf(url: string): string {
  const at = url.indexOf("?");
  if (at === -1) return "";
  const parameters = new URLSearchParams(url.slice(at));
  parameters.delete("key");
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}
