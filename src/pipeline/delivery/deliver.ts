import { type Delivery, deliverWhole } from "./delivery.ts";
import { deliverStream } from "./stream-delivery.ts";

/** Hands an answer to the caller. Its record is durable before the last byte. */
export function deliver(delivery: Delivery): Response | Promise<Response> {
  const { answer } = delivery.answered;
  return answer.kind === "stream" ? deliverStream(delivery, answer) : deliverWhole(delivery, answer.answer.body);
}
