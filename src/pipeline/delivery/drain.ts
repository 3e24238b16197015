import type { AnswerStream } from "../../dialects/exchange.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import type { SendTools } from "../../upstream/send.ts";
import type { AnswerEvents } from "../attempt/answer-events.ts";

/** How long the rest of an answer is read for its usage when nobody waits for it, in milliseconds. */
const longestMs = 30_000;

/** Reads what is left of an answer whose caller has left, so that its usage is known. Never throws; ends in a bounded time. */
export async function readToEnd({ deadlines, clock }: SendTools, events: AnswerEvents<AnswerStream>): Promise<void> {
  const tooLong = () => events.call.cancel(new UpstreamFault("cut", "The rest of the answer took too long."));
  const deadline = deadlines.watch(clock.now() + longestMs, tooLong);
  try {
    while (await events.next());
    events.release();
  } catch {
    // What was read until then is known.
  } finally {
    deadlines.unwatch(deadline);
  }
}
