import type { RequestContext } from "../request-context.ts";
import type { Answered } from "../stages.ts";
import { askAgain, makeSearches, RunningWork, type SearchRun } from "./search-run.ts";
import { SearchingSource } from "./searching-source.ts";

/**
 * Goes on with an answer whose model may search, from its first round: a whole answer until it is complete; a stream is
 * gone on with while it is delivered.
 * @throws the caller's error if a further round of a whole answer fails; the reason of a cancellation
 */
export async function answerWithSearches(run: SearchRun, context: RequestContext, first: Answered): Promise<Answered> {
  const work = new RunningWork(run);
  if (first.answer.kind === "stream") {
    const { stream, source } = first.answer;
    return { ...first, answer: { kind: "stream", stream, source: new SearchingSource(run, work, source) } };
  }
  let answered = first;
  context.onCancel = () => work.cancel(context.cancelReason);
  try {
    context.throwIfCancelled();
    while (run.rounds.asked.length > 0) {
      await makeSearches(run, work, ignore);
      answered = await askAgain(run, work, run.rounds.next().exchange);
    }
  } finally {
    context.onCancel = null;
  }
  return { ...first, answer: answered.answer };
}

/** A whole answer has no bytes before its end. */
const ignore = () => undefined;
