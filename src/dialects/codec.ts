import type { BodyAttribution } from "../attribution/body-attribution.ts";
import type { HostedToolsPolicy } from "../conversation/fields/hosted-tools.ts";
import type { ConversationRequest } from "../conversation/request.ts";
import type { ConversationResponse } from "../conversation/response.ts";
import type { StreamEvent } from "../conversation/stream.ts";
import type { SupportColumn, SupportTable } from "../conversation/fields/support.ts";
import type { GatewayError } from "../errors.ts";
import type { JsonObject } from "../json/values.ts";
import type { DialectName, Observation, ProviderError } from "./exchange.ts";

/**
 * One dialect, to and from the neutral form. The first half serves callers that speak it, the second half providers that
 * do. A translation joins the caller half of one dialect to the provider half of another.
 */
export interface DialectCodec {
  readonly name: DialectName;
  readonly caller: CallerCodec;
  readonly provider: ProviderCodec;
}

/** The fields that a dialect has in a request's URL rather than in its body (Gemini). */
export interface RequestAddress {
  readonly model?: string;
  readonly stream?: boolean;
}

export interface CallerCodec {
  /** The other dialects, from the one in which the least of a request has to change to the farthest. */
  readonly nearest: readonly DialectName[];
  /** Reads a body. Throws a 400 that names the field if a value cannot be understood. */
  decodeRequest(body: JsonObject, address?: RequestAddress): ConversationRequest;
  /** What a body says of for whom its request is; null if it says nothing. */
  attribution?(body: JsonObject): BodyAttribution | null;
  /** The id that an answer has for its caller, if the provider gave it this one. */
  answerId(providerId: string | null, context: Pick<AnswerContext, "fallbackId" | "isStored">): string;
  encodeResponse(response: ConversationResponse, context: AnswerContext): JsonObject;
  openStreamEncoder(context: AnswerContext): StreamEncoder;
  /** An answer has one text, in which all its texts are joined. */
  readonly joinsTexts?: true;
  /** Of a streamed answer. Server-Sent Events by default. */
  readonly streamContentType?: string;
  /** Keep-alive text within a stream, between two events. A comment by default. */
  readonly keepAlive?: string;
  /** The dialect's error envelope, for an error before the first byte. */
  encodeError(error: GatewayError, requestId: string): JsonObject;
}

/** The facts that an answer's encoder needs beside the answer. */
export interface AnswerContext {
  /** The request's body as the caller sent it: some dialects echo it, some have options for the answer in it. */
  readonly callerBody: JsonObject;
  /** The caller's name for the model, for answers that do not name one. */
  readonly model: string;
  /** For answers that bring no id; without the dialect's prefix. */
  readonly fallbackId: string;
  /** The gateway stores the answer, under an id of its own: a provider may give the same one twice. */
  readonly isStored?: boolean;
  /** Unix seconds, for answers without a time. */
  readonly created: number;
  /** Said at once by dialects whose stream opens with it; the true count follows at its end. */
  readonly estimatedInputTokens: number;
}

export interface StreamEncoder {
  /** The wire's text for one event, whole SSE events; empty if there is nothing to send yet. */
  push(event: StreamEvent): string;
  /** The text that ends the stream: once, after `response-end`, when the record is durable. Empty if closing is enough. */
  terminator(): string;
  /** The text that reports a broken stream. Nothing follows it. */
  fail(error: GatewayError, requestId: string): string;
}

export interface ProviderCodec {
  /** The treatment of each field of a request. `support` and the docs are made from it. */
  readonly supportTable: SupportTable;
  /** The support table's column of this dialect, with the quirks of this model (the provider's own name). */
  support(model: string): SupportColumn;
  /**
   * Writes a request that has passed `reviewRequest` with the column above: refused fields are not in it, ignored ones
   * are to be left out. Throws a 400 that names the caller's field if the vendor cannot take a value of it.
   */
  encodeRequest(request: ConversationRequest, target: EncodeTarget): EncodedRequest;
  /** Reads a whole answer. Throws an `AnswerFault` if it is not one. */
  decodeResponse(body: unknown): ConversationResponse;
  openStreamDecoder(): StreamDecoder;
  /**
   * Whether an event of a stream that passes through may be left unread if it differs from earlier pieces of text in the
   * contents of strings alone. Absent: every event is read.
   */
  readonly textPassesUnread?: boolean;
  /**
   * The name of members that nothing but their caller needs, and that may hold more values than can be parsed at once: in a
   * large whole answer that passes through, they are not read.
   */
  readonly unreadMember?: string;
  /** Reads what a record needs of a whole answer, if there is a quicker way than decoding it. Throws an `AnswerFault`. */
  observeWhole?(body: unknown): Pick<Observation, "responseId" | "usage">;
  /** Reads the body of an error status; all null if it is not in the dialect's form. */
  decodeError(body: unknown): ProviderError;
}

export interface EncodeTarget {
  /** The provider's own name for the model. */
  readonly model: string;
  /** The model's limit as configured, for vendors that demand a maximum; null if unknown. */
  readonly maxOutputTokens: number | null;
  /** The limit is sent also if the caller asks for none. */
  readonly imposesOutputLimit?: true | undefined;
  /** The treatment of tools that only another vendor runs; `omit` by default. */
  readonly hostedTools?: HostedToolsPolicy;
}

export interface EncodedRequest {
  /** Below the provider's base URL. */
  readonly path: string;
  /** Lower-case names; the credential is the provider's to add. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** Paths, as the caller wrote them, of values (not fields) that had to change or were left out. */
  readonly warnings: readonly string[];
}

/** Reads a stream. Both methods throw an `AnswerFault` if the provider reports an error or breaks the dialect. */
export interface StreamDecoder {
  /** Decodes one SSE event's data into events of the grammar in `conversation/stream.ts`. */
  push(data: string): readonly StreamEvent[];
  /** The provider's stream has ended: the last events. Throws if it ended too early. */
  end(): readonly StreamEvent[];
  /** The provider's answer is complete. */
  readonly finished: boolean;
}
