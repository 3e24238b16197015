import { keptAnswer } from "../idempotency/kept-answer.ts";
import { bodyHash, readIdempotencyKey } from "../idempotency/request-key.ts";
import type { Claim } from "../idempotency/store.ts";
import type { KeptAnswer, UsageRecord } from "../records/record.ts";
import type { CallerVoice } from "./endpoint.ts";
import type { Journey } from "./journey.ts";
import { leave } from "./leave.ts";
import type { Outcome } from "./outcome.ts";
import { answerHeaders } from "./respond.ts";
import type { Services } from "./services.ts";

/** A request whose body is read. */
export interface Asked {
  readonly keyId: string;
  readonly request: Request;
  readonly body: string;
}

/**
 * Claims the request's `Idempotency-Key`, where it has one. Null where it is to run; else the answer of the request that
 * ran before it. Throws a 400, 409 or 503: see `Idempotency.claim`.
 */
export async function claimOrReplay(
  services: Services,
  journey: Journey,
  voice: CallerVoice,
  { keyId, request, body }: Asked,
): Promise<Response | null> {
  if (journey.isFree) return null;
  const idempotencyKey = readIdempotencyKey(request.headers);
  if (idempotencyKey === null) return null;
  const claimed = await services.idempotency.claim({
    keyId,
    idempotencyKey,
    requestId: journey.id,
    bodyHash: bodyHash(journey.path, request.url, body),
  });
  if (claimed.kind === "replay") return replay(services, journey, voice, claimed.requestId, claimed.answer);
  journey.claim = claimed.claim;
  return null;
}

/** The first request's answer under its own id. This one leaves no record and costs nothing. */
function replay(
  services: Services,
  journey: Journey,
  voice: CallerVoice,
  firstId: string,
  { contentType, body }: KeptAnswer,
): Response {
  journey.settled = true;
  journey.forgetDeadline?.();
  const fields = {
    request_id: journey.id,
    replay_of: firstId,
    key_id: journey.identity?.key.id ?? null,
    endpoint: journey.path,
    status_code: 200,
    latency_ms: services.clock.now() - journey.startedAt,
  };
  services.log.info(fields, "request replayed");
  leave(services, journey);
  const headers = answerHeaders(services, { ...journey, id: firstId }, voice, []);
  return new Response(body, { headers: { ...headers, "content-type": contentType, "idempotent-replayed": "true" } });
}

/** The record of a request that has used up its key, with what its repetitions are to be given. */
export function usingUp(record: UsageRecord, { idempotencyKey }: Claim, { whole }: Outcome): UsageRecord {
  const answer = whole ? keptAnswer(whole.contentType, whole.body) : null;
  return { ...record, idempotent: { idempotencyKey, answer } };
}
