import type { AnswerStream, WholeAnswer } from "../../dialects/exchange.ts";
import type { GatewayError } from "../../errors.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";

/** A target has answered: with all of it, or with the beginning of a stream that holds at least one event. */
export type TargetAnswer =
  | { readonly kind: "whole"; readonly answer: WholeAnswer }
  | { readonly kind: "stream"; readonly stream: AnswerStream; readonly source: StreamSource };

/** The source of the pieces of a streamed answer. */
export interface StreamSource {
  /** The bytes that came before there was a sink. */
  readonly first: Uint8Array;
  /** All of a good answer is in `first`. */
  readonly isComplete: boolean;
  /** From now on the sink gets all events; those that happened meanwhile are sent to it at once. */
  attach(sink: StreamSink): void;
  pause(): void;
  resume(): void;
  /** Ends the call. */
  cancel(): void;
  /** Ends the call for a reason independent of its target. */
  abandon(outcome: "lost" | "cancelled"): void;
  /** Reads on for at most this many milliseconds and discards the bytes. */
  drain(milliseconds: number): void;
}

/** Takes a streamed answer. `onFinished`, `onFault` or `onError` is the last, and comes once. */
export interface StreamSink {
  onBytes(bytes: Uint8Array): void;
  onFinished(): void;
  onFault(fault: UpstreamFault): void;
  /** The answer cannot go on, for a reason that is already in the caller's words. */
  onError(error: GatewayError): void;
}
