import type { JsonObject, Part, Vendor } from "./parts.ts";
import type { ReportedUsage } from "./usage.ts";

/** An answer independent of any vendor. */
export interface ConversationResponse {
  readonly id: string | null;
  /** As the provider named it. */
  readonly model: string | null;
  /** Unix seconds. */
  readonly created: number | null;
  /** At least one; a prompt blocked outright is one candidate without parts. */
  readonly candidates: readonly Candidate[];
  readonly usage: ReportedUsage | null;
  readonly serviceTier?: string | undefined;
  /** Fields of one vendor only, by their own names; passed on to callers of that vendor's dialects. */
  readonly native?: NativeFields | undefined;
}

export interface NativeFields {
  readonly vendor: Vendor;
  readonly fields: JsonObject;
}

/** One of the answers to one request. */
export interface Candidate {
  /** In order: reasoning, text, tool calls as the model made them. */
  readonly parts: readonly Part[];
  readonly finish: Finish;
  readonly logprobs?: readonly TokenLogprob[] | undefined;
}

export type FinishReason =
  /** The model had finished, or met a stop sequence (`stopSequence`, if known). */
  | "stop"
  /** `maxOutputTokens` is reached. */
  | "length"
  /** The context window is full. */
  | "context-length"
  | "tool-calls"
  /** Withheld by a filter of the vendor's. */
  | "content-filter"
  /** The model itself declined. */
  | "refusal"
  /** A hosted tool takes long: send the answer back to go on. */
  | "pause"
  /** The model failed to produce a usable answer. */
  | "error";

export interface Finish {
  readonly reason: FinishReason;
  readonly stopSequence?: string | undefined;
  /** More on the reason: a refusal's explanation, a filter's category. Safe to show. */
  readonly explanation?: string | undefined;
  readonly category?: string | undefined;
}

export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[] | null | undefined;
  readonly top?: readonly TokenLogprob[] | undefined;
}
