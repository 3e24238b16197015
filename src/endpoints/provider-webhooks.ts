import { type Answer, jsonAnswer } from "../pipeline/answer.ts";
import { readText } from "./admin/input/read-text.ts";
import type { Visit } from "./visit.ts";

/** Of one webhook: some carry the whole result of a job, which is not read. */
const maxBodyBytes = 1 << 20;

/** `POST /v1/webhooks/{id}`: a provider tells of a job. It needs no key: it is signed. */
export async function takeWebhook(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  const take = services.videos.webhooksOf(id);
  const hold = services.capacity.admit("webhooks");
  try {
    const text = await readText(visit, maxBodyBytes, hold);
    await take({
      header: (name) => request.headers.get(name),
      // Decoding is strict, so these are the bytes that were signed.
      body: Buffer.from(text),
      now: services.clock.now(),
    });
    return jsonAnswer({ received: true });
  } finally {
    hold.release();
  }
}
