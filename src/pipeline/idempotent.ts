import type { RequestHeaders } from "../http/headers.ts";
import type { Identity } from "../access/identity.ts";
import type { Claimed } from "../idempotency/idempotency.ts";
import { bodyHash, readIdempotencyKey } from "../idempotency/request-key.ts";
import type { RequestBody } from "../operations/operation.ts";
import type { Answer } from "./answer.ts";
import type { Progress } from "./finished-request.ts";
import type { RequestContext } from "./request-context.ts";
import { answerHeaders } from "./respond.ts";
import type { Services } from "./services.ts";
import { release } from "./settle.ts";

/**
 * Claims a request's `Idempotency-Key`, or finds the answer of the request that ran before it; null if it has none.
 * Throws a 400, 409 or 503: see `Idempotency.claim`.
 */
export function claimKey(
  { idempotency }: Services,
  context: RequestContext,
  { key }: Identity,
  headers: RequestHeaders,
  url: string,
  body: RequestBody,
): Promise<Claimed> | null {
  const idempotencyKey = readIdempotencyKey(headers);
  if (idempotencyKey === null) return null;
  return idempotency.claim({
    keyId: key.id,
    idempotencyKey,
    requestId: context.id,
    bodyHash: bodyHash(context.path, url, textOf(body)),
  });
}

/** Of a form its digest: clients send it with another boundary each time. */
function textOf(body: RequestBody): string {
  return body.kind === "json" ? body.text : body.kind === "multipart" ? body.form.digest : "";
}

/** The first request's answer under its own id. This one has no record and costs nothing. */
export function replay(
  services: Services,
  progress: Progress,
  { requestId, answer }: Extract<Claimed, { kind: "replay" }>,
): Answer {
  const { context, identity } = progress;
  const fields = {
    request_id: context.id,
    replay_of: requestId,
    key_id: identity?.key.id ?? null,
    endpoint: context.path,
    status_code: 200,
    latency_ms: Math.round(services.steady.now() - context.startedTick),
  };
  services.log.info(fields, "request replayed");
  const headers = answerHeaders(services, progress, [], requestId);
  release(services, progress);
  headers["content-type"] = answer.contentType;
  headers["idempotent-replayed"] = "true";
  return { status: 200, headers, body: answer.body };
}
