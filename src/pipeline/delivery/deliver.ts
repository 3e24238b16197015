import type { Answered } from "../attempt/find-answer.ts";
import { deliverStream } from "./deliver-stream.ts";
import type { Delivery } from "./delivery.ts";
import { settle } from "../settle.ts";

/** Hands the answer to the caller. Its record is durable before its last byte. */
export async function deliver(delivery: Delivery, answered: Answered): Promise<Response> {
  const { answer, attempt } = answered;
  if (answer.kind === "stream") return deliverStream(delivery, answer, attempt);
  const { services, journey, headers, estimateInput, keep } = delivery;
  journey.firstByteAt = services.clock.now();
  const { observation, body } = answer.answer;
  await keep(body);
  const whole = { contentType: "application/json", body };
  const outcome = { statusCode: 200, error: null, observation, estimateInput, whole };
  await settle(services, journey, { status: "succeeded", ...outcome });
  return new Response(body, { headers: { ...headers, "content-type": whole.contentType } });
}
