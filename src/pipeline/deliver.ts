import type { Answered } from "./attempt.ts";
import { deliverStream } from "./deliver-stream.ts";
import type { Delivery } from "./delivery.ts";
import { settle } from "./settle.ts";

/** Hands the answer to the caller. Its record is durable before its last byte. */
export async function deliver(delivery: Delivery, answered: Answered): Promise<Response> {
  if (answered.kind === "stream") return deliverStream(delivery, answered.first, answered.events);
  const { services, journey, headers, estimateInput, keep } = delivery;
  journey.firstByteAt = services.clock.now();
  const { observation, body } = answered.answer;
  await keep(body);
  await settle(services, journey, { status: "succeeded", statusCode: 200, error: null, observation, estimateInput });
  return new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}
