import type { ReportedUsage } from "../conversation/usage.ts";
import type { GatewayError } from "../errors.ts";
import type { SseEvent } from "../sse/event.ts";

/** The wire formats a provider can speak. */
export type DialectName = "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";

/** What goes up to a provider, less what the provider itself decides (base URL, credential). */
export interface UpstreamRequest {
  readonly dialect: DialectName;
  readonly method: "POST" | "GET";
  /** Below the provider's base URL: `/chat/completions`. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/** What an answer said, gathered as it passed by. */
export interface Observation {
  /** The id in the answer as the caller sees it. */
  readonly responseId: string | null;
  /** Null where the provider reported nothing. */
  readonly usage: ReportedUsage | null;
  /** All text the model produced so far (content, reasoning, tool arguments), for an estimate. May be costly to make. */
  producedText(): string;
}

/** A whole answer, ready for the caller. */
export interface WholeAnswer {
  readonly body: string | Uint8Array;
  readonly observation: Observation;
}

/**
 * What reads a provider's events one by one. `push` and `end` throw an `AnswerFault` where the provider breaks off or
 * reports an error; what they returned before stays valid.
 */
export interface EventReader {
  /** The caller's bytes for one event of the provider; null where there is nothing to send. */
  push(event: SseEvent): Uint8Array | null;
  /** The provider's stream has ended: what the caller still gets, less the terminator. Throws where it ended too early. */
  end(): Uint8Array | null;
  /** Whether the answer has begun: from then on the caller is sent what comes. Comments alone begin nothing. */
  readonly started: boolean;
  /** Whether the provider has said its last word, so that waiting for the end of its stream is not needed. */
  readonly finished: boolean;
  readonly observation: Observation;
}

/** An answer that passes by in pieces, to a caller who wants it so. */
export interface AnswerStream extends EventReader {
  readonly contentType: string;
  /** Sent while the provider is silent, between two events. */
  readonly keepAlive: Uint8Array;
  /** What tells the caller that all is said: sent once the record is durable. Null where closing is enough. */
  terminator(): Uint8Array | null;
  /** What tells the caller that the answer broke off. Nothing follows it. */
  fail(error: GatewayError, requestId: string): Uint8Array;
}

/** Gathers a streamed answer into a whole one: its caller is sent nothing before the end. */
export interface AnswerCollector extends EventReader {
  /** All of it, once the stream has ended. */
  answer(): WholeAnswer;
}

/** How one request is put to one target, and how what comes back is read. One attempt has one exchange. */
export interface Exchange {
  readonly request: UpstreamRequest;
  /** The paths of the caller's fields that this provider will not see, for `X-Service-Warnings`. */
  readonly warnings: readonly string[];
  /** Reads a whole JSON answer. Throws an `AnswerFault` where it is not what the dialect says. */
  readWhole(body: Uint8Array): WholeAnswer;
  /** Begins to read a streamed answer, for a caller who wants a stream. */
  openStream(): AnswerStream;
  /** The stream that says the same as this whole answer, all at once: for a provider that ignored `stream: true`. */
  wholeAsStream(body: Uint8Array): { readonly bytes: Uint8Array; readonly stream: AnswerStream };
  /** Begins to read a streamed answer for a caller who wants a whole one: for a provider that streams unasked. */
  openCollector(): AnswerCollector;
  /** What the body of an error status says, as JSON; null where it says nothing in the dialect's form. */
  readError(body: unknown): ProviderError | null;
}

/**
 * The provider's answer is not one: malformed, an error in place of an answer, or cut. `providerError` is what the
 * provider itself said, where it said something.
 */
export class AnswerFault extends Error {
  override readonly name = "AnswerFault";
  readonly providerError: ProviderError | null;

  constructor(message: string, providerError: ProviderError | null = null) {
    super(message);
    this.providerError = providerError;
  }
}

/** An error as a provider words it, whichever dialect it speaks. */
export interface ProviderError {
  readonly message: string | null;
  readonly type: string | null;
  readonly code: string | null;
  readonly param: string | null;
  /** Seconds to wait, where the body says so rather than a header. */
  readonly retryAfterSeconds?: number | null;
  /** The credential is at fault, whatever the status says. */
  readonly badCredential?: boolean;
}
