import { closestDialect, codecs } from "../dialects/codecs.ts";
import type { AnswerContext, CallerCodec, RequestAddress } from "../dialects/codec.ts";
import type { AnswerStream, DialectName, Exchange, UpstreamRequest } from "../dialects/exchange.ts";
import { passThrough } from "../dialects/pass-through.ts";
import { readModelName } from "../dialects/model-name.ts";
import { translate } from "../dialects/translate.ts";
import { sourcesToFetch, withFetched } from "../conversation/remote-sources.ts";
import type { ConversationRequest } from "../conversation/request.ts";
import { textOfRequest } from "../conversation/text-of-request.ts";
import { readJsonObject } from "../json/read-object.ts";
import type { Member } from "../json/top-level.ts";
import type { JsonObject } from "../json/values.ts";
import { estimateConversation } from "../metering/estimate.ts";
import type { Endpoint, EndpointInput, ReadContext } from "../pipeline/endpoint.ts";
import type { Model, Target } from "../routing/names/model.ts";
import type { FetchMedia } from "../upstream/fetch-media.ts";
import { abilitiesUsed, checkAbilities } from "./check-abilities.ts";

/** A conversation that a caller asks to continue, in the caller's words and in nobody's. */
export interface ConversationInput extends EndpointInput {
  /** The body as the caller wrote it. */
  readonly text: string;
  /** Where in the text the value of `model` stands. */
  readonly members: readonly Member[];
  readonly body: JsonObject;
  readonly headers: Headers;
  readonly conversation: ConversationRequest;
  readonly context: AnswerContext;
  /** How this caller is written to. */
  readonly caller: CallerCodec;
  /** Writes a stream that passes through in the form this caller asked for. */
  readonly reframe: (stream: AnswerStream) => AnswerStream;
}

/** What makes a conversation endpoint of a dialect. */
export interface ConversationDialect extends Pick<Endpoint<ConversationInput>, "name" | "keyHeader" | "voice"> {
  readonly dialect: DialectName;
  /** How its callers are written to, where the request may choose; else as the dialect's codec says. */
  readonly callerCodec?: (context: ReadContext) => CallerCodec;
  /** What stands in the URL rather than the body. */
  readonly address?: (context: ReadContext) => RequestAddress;
  /** The request as it goes up to a provider of the same dialect. */
  readonly upstream: (input: ConversationInput, target: Target) => UpstreamRequest;
  /** Whether an event is the last word of a good stream. */
  readonly isLastWord: (data: string) => boolean;
  /** Writes a provider's events in the form that the caller asked for, where that can be another. */
  readonly reframe?: (stream: AnswerStream, context: ReadContext) => AnswerStream;
}

/** An endpoint whose callers speak one dialect and whose providers speak any. */
export function conversationEndpoint(own: ConversationDialect): Endpoint<ConversationInput> {
  const codec = codecs[own.dialect];
  return {
    name: own.name,
    keyHeader: own.keyHeader,
    voice: own.voice,
    read(text, context) {
      const { body, members } = readJsonObject(text, changeable);
      const conversation = codec.caller.decodeRequest(body, own.address?.(context));
      return {
        model: readModelName(conversation.model),
        stream: conversation.stream,
        text,
        members,
        body,
        headers: context.headers,
        conversation,
        caller: own.callerCodec?.(context) ?? codec.caller,
        reframe: (stream) => own.reframe?.(stream, context) ?? stream,
        context: answerContext(body, conversation, context),
      };
    },
    ...conversationRules,
    exchange(input, target, model, { fetchMedia }) {
      const dialect = closestDialect(own.dialect, target.provider.dialects);
      if (dialect !== own.dialect) return translated(input, dialect, target, model, fetchMedia);
      const exchange = passThrough({
        codec: { ...codec, caller: input.caller },
        request: own.upstream(input, target),
        context: input.context,
        isLastWord: own.isLastWord,
      });
      return { ...exchange, openStream: () => input.reframe(exchange.openStream()) };
    },
  };
}

const changeable: ReadonlySet<string> = new Set(["model"]);

/** What holds for a conversation, whatever dialect its caller speaks. */
export const conversationRules: Pick<
  Endpoint<EndpointInput & Pick<ConversationInput, "conversation" | "text">>,
  "checkModel" | "abilitiesUsed" | "expectedUsage" | "size" | "estimateInput"
> = {
  checkModel: ({ conversation }, model) => checkAbilities(conversation, model),
  abilitiesUsed: ({ conversation }) => abilitiesUsed(conversation),
  expectedUsage: ({ conversation }) => ({
    input: roughTokens(conversation),
    output: conversation.maxOutputTokens ?? null,
    answers: conversation.candidateCount ?? 1,
  }),
  size: ({ text }) => Buffer.byteLength(text),
  estimateInput: ({ conversation }) => estimateConversation(conversation),
};

/** What the answer's encoder is to know of a request. */
export function answerContext(
  callerBody: JsonObject,
  conversation: ConversationRequest,
  { requestId, now }: Pick<ReadContext, "requestId" | "now">,
): AnswerContext {
  return {
    callerBody,
    model: conversation.model,
    fallbackId: requestId.replace("req_", ""),
    created: Math.floor(now / 1000),
    estimatedInputTokens: roughTokens(conversation),
  };
}

/** A quick figure, rather high: four bytes a token, and a little for every message. */
function roughTokens(conversation: ConversationRequest): number {
  return Math.ceil(textOfRequest(conversation).length / 4) + 4 * conversation.messages.length;
}

/** A request carried to another dialect, with what that provider cannot fetch for itself fetched. */
export async function translated(
  input: Pick<ConversationInput, "conversation" | "context" | "caller">,
  dialect: DialectName,
  target: Target,
  model: Model,
  fetchMedia: FetchMedia,
): Promise<Exchange> {
  const provider = codecs[dialect];
  const { conversation, context, caller } = input;
  const remote = sourcesToFetch(conversation, provider.provider.support(target.model));
  const request = remote.length === 0 ? conversation : withFetched(conversation, await fetchMedia(remote));
  return translate({
    caller,
    provider,
    request,
    context,
    target: { model: target.model, maxOutputTokens: model.maxOutputTokens, hostedTools: model.hostedTools },
  });
}
