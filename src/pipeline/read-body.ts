import type { Clock } from "../clock.ts";
import { bodyTooLarge, GatewayError, invalidRequest } from "../errors.ts";
import type { Deadlines } from "../upstream/deadlines.ts";
import type { Hold } from "./capacity/capacity.ts";

export interface BodyLimits {
  readonly maxBodyBytes: number;
  /** All of the body must have arrived by then. */
  readonly bodyTimeoutMs: number;
}

/** The request whose body is read. */
export interface BodyOwner {
  /** Counts the bytes. */
  readonly hold: Pick<Hold, "addBodyBytes">;
  /** Aborted when the caller's own deadline passes, or it leaves; null where it set none. */
  readonly deadline: AbortSignal | null;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a JSON body as text. Throws a 415 for another content type or encoding, a 413 as soon as the size is known to be
 * over the limit, a 503 where the gateway holds as many bytes as it can, a 408 where the body is slow to arrive, the
 * reason of `deadline` where that passes first, and a 400 where the body is not UTF-8.
 */
export async function readJsonBody(
  request: Request,
  limits: BodyLimits,
  tools: { readonly clock: Clock; readonly deadlines: Deadlines },
  { hold, deadline }: BodyOwner,
): Promise<string> {
  checkHeaders(request.headers);
  const length = request.headers.get("content-length");
  if (length !== null && Number(length) > limits.maxBodyBytes) throw bodyTooLarge(limits.maxBodyBytes);
  if (length !== null) hold.addBodyBytes(Number(length));

  const { promise: arrived, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const limit = tools.deadlines.watch(tools.clock.now() + limits.bodyTimeoutMs, () => reject(bodyLate(limits)));
  const onDeadline = () => reject(deadline?.reason);
  if (deadline?.aborted) onDeadline();
  else deadline?.addEventListener("abort", onDeadline, { once: true });
  try {
    // With a length the server has already bounded the body; without one it is counted as it arrives.
    const reading = length === null ? readCounted(request, limits.maxBodyBytes, hold) : request.bytes();
    reading.then(resolve, reject);
    return decode(await arrived);
  } finally {
    tools.deadlines.unwatch(limit);
    deadline?.removeEventListener("abort", onDeadline);
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidRequest("invalid_json", "The request body is not valid UTF-8.");
  }
}

function checkHeaders(headers: Headers): void {
  const type = headers.get("content-type");
  if (type !== null && !/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) {
    throw unsupportedMediaType("The request body must be JSON: send 'Content-Type: application/json'.", "Content-Type");
  }
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw unsupportedMediaType("The request body must not be compressed.", "Content-Encoding");
  }
}

function unsupportedMediaType(message: string, param: string): GatewayError {
  return new GatewayError("invalid_request_error", message, { status: 415, code: "unsupported_media_type", param });
}

function bodyLate(limits: BodyLimits): GatewayError {
  const seconds = limits.bodyTimeoutMs / 1000;
  return new GatewayError("invalid_request_error", `The request body did not arrive within ${seconds} seconds.`, {
    status: 408,
    code: "body_timeout",
  });
}

async function readCounted(request: Request, maxBytes: number, hold: BodyOwner["hold"]): Promise<Uint8Array> {
  if (!request.body) return new Uint8Array(0);
  const pieces: Uint8Array[] = [];
  let total = 0;
  for await (const piece of request.body) {
    total += piece.length;
    if (total > maxBytes) throw bodyTooLarge(maxBytes);
    hold.addBodyBytes(piece.length);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
