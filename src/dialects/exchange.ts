import type { SearchOutcome } from "../conversation/parts.ts";
import type { ReportedUsage } from "../conversation/usage.ts";
import type { GatewayError } from "../errors.ts";
import type { JsonObject } from "../json/values.ts";
import type { RequestWay } from "../operations/request-way.ts";
import type { RequestBody } from "../http/request-body.ts";

/** The name of a wire format that a provider can speak, as the registry lists it. */
export type DialectName = string;

/** A request to a provider, without the provider's base URL and credential. */
export interface UpstreamRequest {
  readonly dialect: DialectName;
  readonly method: "POST" | "GET" | "PUT" | "DELETE";
  /** Another address of the same vendor, if it is not below the provider's base URL. */
  readonly baseUrl?: string;
  /** Below the base URL: `/chat/completions`. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Null if there is none. One that is streamed can be read again for every attempt. */
  readonly body: RequestBody;
}

/** The facts of an answer, gathered as it passed by. */
export interface Observation {
  /** The id in the answer as the caller sees it. */
  readonly responseId: string | null;
  /** Null if the provider reported nothing. */
  readonly usage: ReportedUsage | null;
  /**
   * The text that the model has produced so far (content, reasoning, tool arguments), for an estimate: of a long one, a
   * sample. May be costly to make.
   */
  producedText(): string;
  /** Characters of the whole text, if `producedText` may be a sample of it. */
  readonly producedLength?: number;
  /** Seconds of sound that have passed, by the gateway's own measure; null if the bytes do not tell. Absent: no sound. */
  readonly soundSeconds?: number | null;
  /** The images that have been delivered. Absent: the answer is none of images. */
  readonly images?: readonly ObservedImage[];
  /** The answer is a job that goes on: the record of its request is pending until the job is finished. */
  readonly isPending?: true;
  /** The job that a provider has taken on; absent if the answer is none. */
  readonly submittedJob?: SubmittedJob;
  /** The answer reports the end of a job that an earlier request began. */
  readonly finishedJob?: FinishedJob | null;
}

/** A job as its provider knows it. */
export interface SubmittedJob {
  /** Unique at the provider. */
  readonly id: string;
  /** The provider's own name of the model. */
  readonly model: string;
  /** What else is needed to ask for it, such as the addresses that the provider gave. Small: at most 4 KiB of JSON. */
  readonly data: JsonObject;
}

/** An image of an answer, as far as its price depends on it. */
export interface ObservedImage {
  /** `1024x1024`; null if neither the provider nor the bytes tell. */
  readonly size: string | null;
  /** As the provider says; null if it does not. */
  readonly quality: string | null;
  /** The size is by the gateway's own measure. */
  readonly isMeasured: boolean;
}

/** A job that has come to its end. */
export interface FinishedJob {
  /** The id under which the caller was given it: the response id of its request's record. */
  readonly id: string;
  readonly status: "succeeded" | "failed";
  readonly usage: ReportedUsage | null;
}

/** A whole answer, ready for the caller. */
export interface WholeAnswer {
  /** Empty if `report` makes it. */
  readonly body: string | Uint8Array;
  /** If it is no JSON. */
  readonly contentType?: string;
  readonly observation: Observation;
  /** Makes the body, if it tells how the answer was found. Never throws. */
  readonly report?: (way: RequestWay) => ReportedAnswer;
  /**
   * Makes durable what the body refers to, before the record is kept and the caller sees it. If it rejects, the request has
   * failed.
   */
  readonly keep?: () => Promise<void>;
}

/** A body that tells how its answer was found. */
export interface ReportedAnswer {
  readonly body: string | Uint8Array;
  /** The same for the record. */
  readonly receipt: JsonObject;
}

/**
 * Reads a provider's answer piece by piece, however the pieces are cut. `push` and `end` never throw: what is wrong with the
 * answer is in `fault`, and events returned with it are valid and come before the fault.
 */
export interface AnswerReader {
  /** The caller's bytes that this piece completes; null if there are none yet. */
  push(piece: Uint8Array): Uint8Array | null;
  /** The provider's answer has ended: the rest of the caller's bytes, less the terminator. */
  end(): Uint8Array | null;
  /** The provider broke off, broke the dialect, or reported an error. Null while all is well. */
  readonly fault: AnswerFault | null;
  /** Whether the answer has begun: from then on the caller is sent what comes. Comments alone begin nothing. */
  readonly started: boolean;
  /** Whether the provider has sent its last event, so that the end of its connection need not be awaited. */
  readonly finished: boolean;
  readonly observation: Observation;
}

/** An answer that is sent on in pieces, to a caller who asked for that. */
export interface AnswerStream extends AnswerReader {
  readonly contentType: string;
  /** Further headers of the answer, lower-case names. Read once the answer has begun. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent while the provider is silent, between two events; null if the form has no room for it. */
  readonly keepAlive: Uint8Array | null;
  /** Called in place of `end`: the same in steps that each have a turn of their own. Absent: `end` is quick enough. */
  readonly endInSteps?: () => Promise<Uint8Array | null>;
  /** Tells the caller that the answer is complete: sent once the record is durable. Null if closing is enough. */
  terminator(): Uint8Array | null;
  /** The bytes that report a broken answer. Nothing follows them. Null if only a broken connection can report it. */
  fail(error: GatewayError, requestId: string): Uint8Array | null;
}

/** Gathers a streamed answer into a whole one: its caller is sent nothing before the end. */
export interface AnswerCollector extends AnswerReader {
  /** The whole answer, once the stream has ended. */
  answer(): WholeAnswer;
}

/** The head of an answer of bytes. */
export interface AnswerHead {
  header(name: string): string | null;
}

/** Room in memory for what is fetched to complete an answer. */
export interface AnswerRoom {
  /** So many bytes more are held. If that resolves, more may be fetched then; it rejects if the answer is given up. */
  take(bytes: number): Promise<void> | undefined;
}

/** One of several calls that were made at once, at its end. */
export interface CallOutcome {
  /** The HTTP status; null if there was no whole answer in time. */
  readonly status: number | null;
  /** Null if there was none, or it was larger than there was room for. */
  readonly body: Uint8Array | null;
  /** It ran into a time limit. */
  readonly isLate: boolean;
}

/** Several calls at once that make one answer, for a provider that takes one thing at a time. */
export interface SeveralCalls {
  /** All of them, the `request` of the exchange first. */
  readonly requests: readonly UpstreamRequest[];
  /** All answers together, in bytes. What is beyond is not read. */
  readonly maxBytes: number;
  /** Whether an answer with an error status says something of the one thing that was asked for: then it is no fault. */
  isAnswer(status: number, body: Uint8Array): boolean;
  /**
   * Takes the outcomes in the order of the requests, if there is an answer among them, and `readWhole` is called with
   * nothing. If there is none, the first fault is that of them all.
   */
  take(outcomes: readonly CallOutcome[]): void;
}

/** Calls one after another that make one answer, for a provider that answers with a job. The first is the exchange's `request`. */
export interface CallSteps {
  /** The call that follows a good answer, and after how many milliseconds; null if that is the answer. May throw: it is, then. */
  next(body: Uint8Array): { readonly request: UpstreamRequest; readonly afterMs: number } | null;
  /** Cancels what the first call has begun, since no one waits for it any more. Null: it cannot be. */
  cancel(): UpstreamRequest | null;
}

/** A search that an answer asks for. */
export interface AskedSearch {
  /** The body of a search, in the words of `POST /v1/search`; null if it may not be made. */
  readonly body: JsonObject | null;
  /** The caller is told that it has begun. Returns the bytes for a caller of a stream; null if there are none. */
  begin(): Uint8Array | null;
  /** It has ended. @param units that it is billed by */
  end(outcome: SearchOutcome, units: number): Uint8Array | null;
}

/** The rounds of an answer whose model may search by the gateway. The exchange that they belong to is the first. */
export interface SearchRounds {
  /** The searches that the round asks for that was read; empty if the answer is complete. */
  readonly asked: readonly AskedSearch[];
  /** The next round, once all searches have ended, and bytes for the caller of a stream. Each is asked for once. */
  next(): { readonly exchange: Exchange; readonly bytes: Uint8Array | null };
}

/** How one request is put to one target, and how the answer is read. One attempt has one exchange. */
export interface Exchange {
  readonly request: UpstreamRequest;
  /** Absent: `request` is the only call. */
  readonly calls?: SeveralCalls;
  /** Absent: the answer to `request` is the answer. */
  readonly steps?: CallSteps;
  /** The paths of the caller's fields that this provider will not see, for `X-Service-Warnings`. */
  readonly warnings: readonly string[];
  /** A whole answer that is larger is not read, in bytes; if not given, one that cannot be parsed at once. */
  readonly maxAnswerBytes?: number;
  /** The answer may be the first of several rounds; absent if it is the only one. */
  readonly rounds?: SearchRounds;
  /** Reads a whole JSON answer. Throws an `AnswerFault` if it does not follow the dialect. */
  readWhole(body: Uint8Array): WholeAnswer;
  /** The same for a large answer, in steps that each have a turn of their own. Absent: `readWhole` is quick enough. */
  readLarge?(body: Uint8Array, room: AnswerRoom): Promise<WholeAnswer>;
  /** Answers of any size are read by `readLarge` and `streamLarge`, which may have to fetch something for it. */
  readonly isReadInSteps?: true;
  /** Begins to read a streamed answer, for a caller who wants a stream. */
  openStream(): AnswerStream;
  /** This whole answer as a stream, all at once: for a provider that ignored `stream: true`. */
  wholeAsStream(body: Uint8Array): { readonly bytes: Uint8Array; readonly stream: AnswerStream };
  /** The same in steps. */
  streamLarge?(
    body: Uint8Array,
    room: AnswerRoom,
  ): Promise<{ readonly bytes: Uint8Array; readonly stream: AnswerStream }>;
  /** Begins to read a streamed answer for a caller who wants a whole one: for a provider that streams unasked. */
  openCollector(): AnswerCollector;
  /** Begins to read an answer of bytes (sound, a picture, a file), which is passed on as it comes. Absent: it is JSON or events. */
  openBytes?(head: AnswerHead): AnswerStream;
  /** Reads the body of an error answer, as JSON; null if it is not in the dialect's form. */
  readError(body: unknown, status: number): ProviderError | null;
  /** What an error answer that is no JSON means by its status alone, if that is not the usual meaning. */
  readStatus?(status: number): ProviderError;
  /**
   * Reads an answer with an error status that is no error: it says that there is nothing. Null if it is one.
   * @param body null if it is no JSON
   */
  wholeOfError?(body: unknown, status: number): WholeAnswer | null;
}

/**
 * The provider's answer is not one: malformed, an error in place of an answer, or cut. `providerError` is what the
 * provider itself said, if it said something.
 */
export class AnswerFault extends Error {
  override readonly name = "AnswerFault";
  readonly providerError: ProviderError | null;
  /** The provider did as it should: what its model wrote cannot be put into the caller's dialect. */
  readonly isOutput: boolean;

  constructor(message: string, providerError: ProviderError | null = null, isOutput = false) {
    super(message);
    this.providerError = providerError;
    this.isOutput = isOutput;
  }
}

/** An error of a provider, of any dialect. */
export interface ProviderError {
  readonly message: string | null;
  readonly type: string | null;
  readonly code: string | null;
  readonly param: string | null;
  /** Seconds to wait, if the body has them rather than a header. */
  readonly retryAfterSeconds?: number | null;
  /** The status that the answer would have had by the usual meaning of statuses, if its own misleads. */
  readonly meantStatus?: number;
  /** The credential is at fault, whatever the status. */
  readonly badCredential?: boolean;
  /**
   * The gateway's account has no credit left, whatever the status. Recognised by type and code; by the message only if the
   * vendor has no other sign, and never by text that may be a caller's.
   */
  readonly isOutOfCredit?: boolean;
}
