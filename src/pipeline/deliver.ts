import type { Answered } from "./attempt.ts";
import { deliverStream } from "./deliver-stream.ts";
import type { CallerVoice } from "./endpoint.ts";
import type { Journey } from "./journey.ts";
import type { Services } from "./services.ts";
import { settle } from "./settle.ts";

/** What delivery needs beside the answer. */
export interface Delivery {
  readonly services: Services;
  readonly journey: Journey;
  readonly voice: CallerVoice;
  readonly headers: Readonly<Record<string, string>>;
  readonly estimateInput: () => Promise<number>;
}

/** Hands the answer to the caller. Its record is durable before its last byte. */
export async function deliver(delivery: Delivery, answered: Answered): Promise<Response> {
  if (answered.kind === "stream") return deliverStream(delivery, answered.first, answered.events);
  const { services, journey, headers, estimateInput } = delivery;
  journey.firstByteAt = services.clock.now();
  const { observation, body } = answered.answer;
  await settle(services, journey, { status: "succeeded", statusCode: 200, error: null, observation, estimateInput });
  return new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}
