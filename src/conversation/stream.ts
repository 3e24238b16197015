import type { Citation, Part, SearchOutcome, Signature } from "./parts.ts";
import type { Finish, NativeFields, TokenLogprob } from "./response.ts";
import type { ReportedUsage } from "./usage.ts";

/**
 * An answer in pieces, in no vendor's words.
 *
 *     stream    = start (usage | native | candidate event)* end
 *     start     = response-start
 *     end       = response-end
 *     candidate = part* finish          each candidate by itself, candidates interleaved as they come
 *     part      = part-start delta* part-end
 *     delta     = text-delta | input-delta | signature-delta | citation-delta | search-outcome
 *
 * Within a candidate the index of a part is 0 for the first and one more for each next one, in the order they start.
 * Several parts may be open at once (parallel tool calls); `one-part-at-a-time.ts` serves dialects that cannot say so.
 * All parts are ended before their candidate's `finish`, all candidates finished before `response-end`. `logprobs` may
 * come until the finish. `usage` is the whole usage so far: the last one stands, none are added. A stream that breaks
 * off has no `response-end`: a decoder throws instead, and what it returned before stays valid.
 */
export type StreamEvent =
  | ResponseStart
  | PartStart
  | TextDelta
  | InputDelta
  | SignatureDelta
  | CitationDelta
  | SearchEnd
  | PartEnd
  | LogprobsDelta
  | CandidateFinish
  | UsageReport
  | NativeReport
  | ResponseEnd;

export interface ResponseStart {
  readonly type: "response-start";
  readonly id: string | null;
  readonly model: string | null;
  /** Unix seconds. */
  readonly created: number | null;
}

interface PartEvent {
  readonly candidate: number;
  /** The part's index within its candidate. */
  readonly index: number;
}

/** The part as far as it is known: deltas append to it. A part of a kind without deltas is whole at its start. */
export interface PartStart extends PartEvent {
  readonly type: "part-start";
  readonly part: Part;
}

/** Appends to the text of a text, reasoning or refusal part. */
export interface TextDelta extends PartEvent {
  readonly type: "text-delta";
  readonly text: string;
}

/** Appends to the input of a tool call. */
export interface InputDelta extends PartEvent {
  readonly type: "input-delta";
  readonly input: string;
}

/** Sets the signature of a reasoning, text or tool-call part; a second one replaces the first. */
export interface SignatureDelta extends PartEvent {
  readonly type: "signature-delta";
  readonly signature: Signature;
}

/** Adds a citation to a text part. */
export interface CitationDelta extends PartEvent {
  readonly type: "citation-delta";
  readonly citation: Citation;
}

/** Sets the outcome of a web search. */
export interface SearchEnd extends PartEvent {
  readonly type: "search-outcome";
  readonly outcome: SearchOutcome;
}

export interface PartEnd extends PartEvent {
  readonly type: "part-end";
}

/** Adds to the candidate's log probabilities. */
export interface LogprobsDelta {
  readonly type: "logprobs-delta";
  readonly candidate: number;
  readonly logprobs: readonly TokenLogprob[];
}

export interface CandidateFinish {
  readonly type: "finish";
  readonly candidate: number;
  readonly finish: Finish;
}

export interface UsageReport {
  readonly type: "usage";
  readonly usage: ReportedUsage;
}

/** Facts about the whole answer beside its parts: later fields join and replace earlier ones. */
export interface NativeReport {
  readonly type: "native";
  readonly serviceTier?: string | undefined;
  readonly native?: NativeFields | undefined;
}

export interface ResponseEnd {
  readonly type: "response-end";
}

/** Whether an event ends a good answer. */
export function isEnd({ type }: StreamEvent): boolean {
  return type === "response-end";
}
