import type { FinishedRequest, Progress } from "../finished-request.ts";
import { settle } from "../settle.ts";
import type { Services } from "../services.ts";
import type { Answered } from "../stages.ts";

/** An answer on its way to its caller. */
export interface Delivery {
  readonly services: Services;
  readonly progress: Progress;
  readonly answered: Answered;
}

/** Stores the answer for later requests, beside the record; null if nothing is to be stored. */
export function keepAnswer(
  { progress, answered }: Delivery,
  lastPiece: string | Uint8Array | null,
): Promise<void> | null {
  const { target } = answered;
  const keep = progress.parsed?.keep;
  return keep && target ? keep(lastPiece, target) : null;
}

/** Settles a request whose caller gets an error in any case: the log reports a missing record. */
export async function settleFailure(delivery: Delivery, end: PartialEnd): Promise<void> {
  await settle(delivery.services, finished(delivery, end)).catch(() => undefined);
}

type PartialEnd = Pick<FinishedRequest, "status"> & Partial<FinishedRequest>;

/** The request with its end; what is not given is as after a good answer. */
export function finished({ progress, answered }: Delivery, end: PartialEnd): FinishedRequest {
  const { answer, model, attempt } = answered;
  return {
    ...progress,
    statusCode: end.error?.status ?? 200,
    error: null,
    observation: answer.kind === "whole" ? answer.answer.observation : answer.stream.observation,
    model,
    answeredBy: attempt,
    firstByteAt: null,
    whole: null,
    ...end,
  };
}
