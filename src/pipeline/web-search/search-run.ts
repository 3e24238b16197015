import type { AskedSearch, Exchange, SearchRounds } from "../../dialects/exchange.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import type { Plan } from "../../routing/choice/plan.ts";
import type { Attempt } from "../attempt/attempt.ts";
import { findAnswer } from "../attempt/find-answer.ts";
import { Cancellable } from "../request-context.ts";
import type { Answered, Parsed } from "../stages.ts";
import type { RanSearch } from "./ran-search.ts";
import { type MadeSearch, runSearch, type SearchSetting } from "./run-search.ts";

/** An answer whose model searches: what its rounds are asked with. */
export interface SearchRun extends SearchSetting {
  readonly requestId: string;
  readonly rounds: SearchRounds;
  readonly plan: Plan;
  /** The one that answered the first round, which all further rounds are put to. */
  readonly candidate: Candidate;
  readonly parsed: Pick<Parsed, "stream">;
  /** All calls of the model, in the order in which they began. */
  readonly attempts: Attempt[];
  /** The searches that have ended, failed ones too. */
  readonly searches: RanSearch[];
}

/** The one place from which what a run is doing can be cancelled. */
export class RunningWork {
  readonly #run: SearchRun;
  readonly #parts = new Set<Cancellable>();
  #reason: unknown = undefined;

  constructor(run: SearchRun) {
    this.#run = run;
  }

  cancel(reason: unknown): void {
    this.#reason ??= reason;
    for (const part of this.#parts) part.cancel(reason);
  }

  /** A part of the work, with its own time. Rejects with the reason of a cancellation. */
  async do<Value>(work: (part: Cancellable) => Promise<Value>): Promise<Value> {
    const part = new Cancellable(this.#run.requestId, this.#run.services.steady.now());
    if (this.#reason !== undefined) part.cancel(this.#reason);
    this.#parts.add(part);
    try {
      part.throwIfCancelled();
      return await work(part);
    } finally {
      this.#parts.delete(part);
    }
  }
}

/**
 * Makes the searches that a round asks for and tells the answer of them: all at the same time, but for those that find no
 * free slot beside the others, which are made after them.
 * @param give takes the bytes for the caller of a stream
 * @throws the reason of a cancellation
 */
export async function makeSearches(
  run: SearchRun,
  work: RunningWork,
  give: (bytes: Uint8Array | null) => void,
): Promise<void> {
  const { asked } = run.rounds;
  for (const search of asked) give(search.begin());
  const postponed: AskedSearch[] = [];
  const end = (search: AskedSearch, { outcome, ran }: MadeSearch) => {
    run.searches.push(ran);
    give(search.end(outcome, ran.units));
  };
  await Promise.all(
    asked.map(async (search) => {
      const made = await makeSearch(run, work, search);
      if (made === null) give(search.end({ error: "unavailable" }, 0));
      else if (made.foundNoSlot && asked.length > 1) postponed.push(search);
      else end(search, made);
    }),
  );
  for (const search of postponed) {
    const made = await makeSearch(run, work, search);
    if (made !== null) end(search, made);
  }
}

/** Null if there is nothing to search for. */
async function makeSearch(run: SearchRun, work: RunningWork, { body }: AskedSearch): Promise<MadeSearch | null> {
  return body === null ? null : work.do((part) => runSearch(run, part, body));
}

/** Asks the target again. @throws the caller's error if it does not answer; the reason of a cancellation */
export function askAgain(run: SearchRun, work: RunningWork, exchange: Exchange): Promise<Answered> {
  const { services, plan, candidate, deadlineAt, attempts } = run;
  const destination = { ...plan.destination, hedgeAfterMs: null };
  const parsed = { stream: run.parsed.stream, answerAlone: null, exchange: () => exchange };
  return work.do((context) =>
    findAnswer({
      services,
      context,
      parsed,
      plan: { ...plan, destination, candidates: [candidate] },
      maxOutputTokens: null,
      deadlineAt,
      attempts,
    }),
  );
}
