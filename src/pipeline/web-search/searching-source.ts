import { toGatewayError } from "../../errors.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import type { StreamSink, StreamSource } from "../attempt/target-answer.ts";
import { askAgain, makeSearches, type RunningWork, type SearchRun } from "./search-run.ts";

/** Ends what goes on between two rounds. Never shown. */
const abandoned = new Error("The answer is no longer wanted.");

/**
 * The source of a streamed answer of several rounds: the pieces of one round after the other, and between them those that
 * tell of the searches. It ends as its last round does.
 */
export class SearchingSource implements StreamSource, StreamSink {
  readonly #run: SearchRun;
  readonly #work: RunningWork;
  /** The round that is read; null while searches are made or the model is asked again. */
  #round: StreamSource | null;
  #sink: StreamSink | null = null;
  #isPaused = false;
  #isDraining = false;
  #isOver = false;

  constructor(run: SearchRun, work: RunningWork, first: StreamSource) {
    this.#run = run;
    this.#work = work;
    this.#round = first;
  }

  get first(): Uint8Array {
    return this.#round?.first ?? new Uint8Array();
  }

  get isComplete(): boolean {
    return this.#round?.isComplete === true && this.#run.rounds.asked.length === 0;
  }

  attach(sink: StreamSink): void {
    this.#sink = sink;
    this.#round?.attach(this);
  }

  pause(): void {
    this.#isPaused = true;
    this.#round?.pause();
  }

  resume(): void {
    this.#isPaused = false;
    this.#round?.resume();
  }

  cancel(): void {
    this.#isOver = true;
    this.#round?.cancel();
    this.#work.cancel(abandoned);
  }

  abandon(outcome: "lost" | "cancelled"): void {
    this.#isOver = true;
    this.#round?.abandon(outcome);
    this.#work.cancel(abandoned);
  }

  /** Only the round that has begun is read to its end: no search is made for a caller that has left. */
  drain(milliseconds: number): void {
    this.#isDraining = true;
    if (this.#round !== null) {
      this.#round.drain(milliseconds);
      return;
    }
    this.abandon("cancelled");
    this.#sink?.onFinished();
  }

  onBytes(bytes: Uint8Array): void {
    this.#sink?.onBytes(bytes);
  }

  onFinished(): void {
    if (this.#isDraining || this.#run.rounds.asked.length === 0) {
      this.#sink?.onFinished();
      return;
    }
    this.#round = null;
    this.#goOn().catch((error: unknown) => {
      if (!this.#isOver) this.#sink?.onError(toGatewayError(error));
    });
  }

  onFault(fault: UpstreamFault): void {
    this.#sink?.onFault(fault);
  }

  onError(error: Parameters<StreamSink["onError"]>[0]): void {
    this.#sink?.onError(error);
  }

  async #goOn(): Promise<void> {
    const give = (bytes: Uint8Array | null) => {
      if (bytes !== null && !this.#isOver) this.onBytes(bytes);
    };
    await makeSearches(this.#run, this.#work, give);
    const { exchange, bytes } = this.#run.rounds.next();
    give(bytes);
    const { answer } = await askAgain(this.#run, this.#work, exchange);
    if (answer.kind !== "stream") throw new Error("A round of a stream was answered whole.");
    const { source } = answer;
    if (this.#isOver) {
      source.abandon("cancelled");
      return;
    }
    this.#round = source;
    this.onBytes(source.first);
    source.attach(this);
    if (this.#isPaused) source.pause();
  }
}
