import { toGatewayError } from "../../errors.ts";
import { answerHeaders, errorAnswer } from "../respond.ts";
import { settle } from "../settle.ts";
import { type Delivery, finished, keepAnswer, settleFailure } from "./delivery.ts";
import { deliverStream } from "./stream-delivery.ts";

/** Hands an answer to the caller. Its record is durable before the last byte. */
export function deliver(delivery: Delivery): Response | Promise<Response> {
  const { answer } = delivery.answered;
  return answer.kind === "stream" ? deliverStream(delivery, answer) : deliverWhole(delivery, answer.answer.body);
}

async function deliverWhole(delivery: Delivery, body: string | Uint8Array): Promise<Response> {
  const { services, progress, answered } = delivery;
  const contentType = "application/json";
  const firstByteAt = services.steady.now();
  try {
    const kept = keepAnswer(delivery, body);
    if (kept !== null) await kept;
    await settle(services, finished(delivery, { status: "succeeded", firstByteAt, whole: { contentType, body } }));
  } catch (thrown) {
    const error = toGatewayError(thrown);
    if (!progress.context.isSettled) await settleFailure(delivery, { status: "failed", error, firstByteAt: null });
    return errorAnswer(services, progress, error);
  }
  const headers = answerHeaders(services, progress, answered.warnings);
  headers["content-type"] = contentType;
  return new Response(body, { headers });
}
