import type { Charge } from "../../billing/prices/prices.ts";
import type { WholeAnswer } from "../../dialects/exchange.ts";
import { toGatewayError } from "../../errors.ts";
import type { ServerExchange } from "../../server/exchange.ts";
import type { Answer } from "../answer.ts";
import { wayOf } from "../request-way.ts";
import { answerHeaders, failureAnswer } from "../respond.ts";
import { settle } from "../settle.ts";
import { largeBody } from "./large-body.ts";
import { type Delivery, finished, keepAnswer, settleFailure } from "./delivery.ts";
import { deliverStream } from "./stream-delivery.ts";

/**
 * Hands an answer to the caller: returns it, or null if it is a stream that has begun. Its record is durable before the last byte.
 */
export function deliver(delivery: Delivery, exchange: ServerExchange): Promise<Answer> | null {
  const { answer } = delivery.answered;
  return answer.kind === "stream" ? deliverStream(delivery, answer, exchange) : deliverWhole(delivery, answer.answer);
}

async function deliverWhole(delivery: Delivery, answer: WholeAnswer): Promise<Answer> {
  const { services, progress, answered } = delivery;
  const { observation } = answer;
  const way = answer.report ? wayOf(services, progress) : null;
  const reported = way && answer.report?.(way);
  const body = reported?.body ?? answer.body;
  const receipt = reported?.receipt ?? null;
  const { contentType = "application/json" } = answer;
  const firstByteAt = services.steady.now();
  const memory = answered.attempt?.handOverMemory() ?? null;
  let charge: Charge;
  try {
    if (answer.keep) await answer.keep();
    const kept = keepAnswer(delivery, body);
    if (kept !== null) await kept;
    charge = await settle(
      services,
      finished(delivery, { status: "succeeded", firstByteAt, whole: { contentType, body }, receipt }),
    );
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (!progress.context.isSettled)
      await settleFailure(delivery, { status: "failed", error, firstByteAt: null, receipt });
    memory?.sent();
    return failureAnswer(services, progress, error);
  }
  const headers = answerHeaders(services, progress, answered.warnings);
  headers["content-type"] = contentType;
  if (answer.contentType !== undefined) headers["x-content-type-options"] = "nosniff";
  // A job is charged when it ends.
  if (!progress.operation.isFree && observation.isPending !== true)
    headers["x-service-amount-microusd"] = String(charge.amountMicrousd);
  return memory === null ? { status: 200, headers, body } : largeBody(headers, [body], memory);
}
