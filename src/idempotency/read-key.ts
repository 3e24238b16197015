import { invalidRequest } from "../errors.ts";

const visibleAscii = /^[\x21-\x7e]{1,255}$/;

/** The `Idempotency-Key` of a request, null where it has none. Throws a 400 where it is not one. */
export function readIdempotencyKey(headers: Headers): string | null {
  const key = headers.get("idempotency-key");
  if (key === null || visibleAscii.test(key)) return key;
  const message = "The header 'Idempotency-Key' must be one of 1 to 255 visible ASCII characters.";
  throw invalidRequest("invalid_parameter", message, "Idempotency-Key");
}
