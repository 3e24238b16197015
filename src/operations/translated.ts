import { sourcesToFetch, withFetched } from "../conversation/fields/remote-sources.ts";
import type { ConversationRequest } from "../conversation/request.ts";
import type { AnswerContext, CallerCodec, DialectCodec, EncodeTarget } from "../dialects/codec.ts";
import type { Exchange } from "../dialects/exchange.ts";
import { translate, translateLarge } from "../dialects/exchanges/translate.ts";
import type { Model, Target } from "../routing/names/model.ts";
import type { ExchangeTools } from "./operation.ts";

/** A conversation that is written for its provider. */
export interface TranslatedConversation {
  readonly conversation: ConversationRequest;
  readonly context: AnswerContext;
  readonly caller: CallerCodec;
  /** The body as the caller wrote it. */
  readonly text: string;
}

/** In characters: a longer request takes milliseconds to write. */
const largeText = 1 << 20;

/** A request carried to another dialect, with what that provider cannot fetch for itself fetched. */
export function translated(
  input: TranslatedConversation,
  provider: DialectCodec,
  target: Target,
  model: Model,
  { fetchMedia }: ExchangeTools,
): Exchange | Promise<Exchange> {
  const { conversation, context, caller } = input;
  const put = input.text.length > largeText ? translateLarge : translate;
  const encodeTarget = encodeTargetOf(target, model);
  const carry = (request: ConversationRequest) => put({ caller, provider, request, context, target: encodeTarget });
  return withMedia(conversation, provider, target, fetchMedia, carry);
}

export function encodeTargetOf(target: Target, model: Model): EncodeTarget {
  return {
    model: target.model,
    maxOutputTokens: model.maxOutputTokens,
    imposesOutputLimit: model.imposesOutputLimit,
    hostedTools: model.hostedTools,
  };
}

/** Carries a request with what its provider cannot fetch for itself fetched. */
export function withMedia(
  conversation: ConversationRequest,
  provider: DialectCodec,
  target: Target,
  fetchMedia: ExchangeTools["fetchMedia"],
  carry: (request: ConversationRequest) => Exchange | Promise<Exchange>,
): Exchange | Promise<Exchange> {
  const remote = sourcesToFetch(conversation, provider.provider.support(target.model));
  if (remote.length === 0) return carry(conversation);
  return fetchMedia(remote).then((fetched) => carry(withFetched(conversation, fetched)));
}
