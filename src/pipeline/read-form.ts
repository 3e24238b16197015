import { bodyTooLarge, invalidRequest } from "../errors.ts";
import type { MultipartForm } from "../multipart/form.ts";
import { FormParser, readBoundary } from "../multipart/form-parser.ts";
import type { ServerExchange } from "../server/exchange.ts";
import type { Hold } from "./capacity/capacity.ts";
import { readCodings } from "./inflate-body.ts";
import type { RequestContext } from "./request-context.ts";
import type { Services } from "./services.ts";

type FormTools = Pick<Services, "steady" | "deadlines" | "bodyLimits" | "scratch">;
type FormSource = Pick<ServerExchange, "headers" | "body" | "readBody" | "pauseBody" | "resumeBody">;
type Cancellable = Pick<RequestContext, "onCancel" | "cancelReason">;
type FormHold = Pick<Hold, "addBodyBytes" | "onRelease">;

/** The fields, and the heads of all parts. */
const maxBesideFileBytes = 2 << 20;
/** What a form holds in memory at most. */
const memoryBytes = 4 << 20;
/** A caller that sends no slower than this is not late, however long it takes. */
const minBytesPerMs = 64;

/**
 * Reads a multipart body as it comes: large files go to scratch files, which are removed when the request ends. Throws a
 * 415 for another content type, a 413 as soon as the size is known to be over the limit, a 503 if the gateway holds as many
 * bytes as it can, a 507 if the disk is full, a 408 if the body is slow to arrive, the reason of a cancellation if that comes
 * first, and a 400 if the body is no such form.
 */
export function readForm(
  { steady, deadlines, bodyLimits, scratch }: FormTools,
  context: Cancellable | null,
  exchange: FormSource,
  hold: FormHold,
): Promise<MultipartForm> {
  const { headers, body } = exchange;
  const boundary = boundaryOf(headers);
  const { maxFileBytes, bodyTimeoutMs } = bodyLimits;
  const maxBytes = maxFileBytes + maxBesideFileBytes;
  const length = body?.length ?? announcedLength(headers);
  if (length !== null && length > maxBytes) throw bodyTooLarge(maxBytes);
  hold.addBodyBytes(Math.min(length ?? memoryBytes, memoryBytes));

  const { promise, resolve, reject } = Promise.withResolvers<MultipartForm>();
  const parser = new FormParser(boundary, { maxFileBytes }, scratch, {
    onForm: resolve,
    onFailure: reject,
    onCongested: (isCongested) => (isCongested ? exchange.pauseBody() : exchange.resumeBody()),
  });
  hold.onRelease = () => void parser.dispose();
  if (body !== null) {
    parser.write(body);
    parser.end();
    return promise;
  }

  const deadline = deadlines.watch(steady.now() + bodyTimeoutMs, () => reject(bodyLate()));
  if (context) context.onCancel = () => reject(context.cancelReason);
  let received = 0;
  exchange.readBody({
    onBytes(bytes) {
      received += bytes.length;
      deadline.at += bytes.length / minBytesPerMs;
      if (received > maxBytes) reject(bodyTooLarge(maxBytes));
      else parser.write(bytes);
    },
    onEnd: () => parser.end(),
    onFailure: (reason) => reject(invalidRequest("body_timeout", `The request body did not arrive. ${reason}`)),
  });
  return promise.finally(() => {
    deadlines.unwatch(deadline);
    if (context) context.onCancel = null;
  });
}

function boundaryOf(headers: FormSource["headers"]): string {
  const type = headers.get("content-type");
  if (type === null || !/^multipart\/form-data\s*(;|$)/i.test(type)) {
    throw invalidRequest("unsupported_media_type", "The request body must be 'multipart/form-data'.", "Content-Type");
  }
  if (readCodings(headers.get("content-encoding")).length > 0) {
    throw invalidRequest("unsupported_media_type", "A form must not be compressed.", "Content-Encoding");
  }
  return readBoundary(type);
}

function announcedLength(headers: FormSource["headers"]): number | null {
  const announced = headers.get("content-length");
  return announced === null ? null : Number(announced);
}

function bodyLate() {
  return invalidRequest("body_timeout", "The request body arrives too slowly.");
}
