import type { Identity } from "../access/identity.ts";
import type { ConversationRequest } from "../conversation/request.ts";
import { asksForSearch } from "../conversation/web-search/web-search-tool.ts";
import type { DialectCodec } from "../dialects/codec.ts";
import type { Exchange } from "../dialects/exchange.ts";
import { hasSearched, offerSearch, withoutSearches } from "../dialects/web-search/offer-search.ts";
import { searchingExchange } from "../dialects/web-search/searching-exchange.ts";
import type { Model, Target, WebSearchSettings } from "../routing/names/model.ts";
import type { ExchangeTools } from "./operation.ts";
import { encodeTargetOf, translated, type TranslatedConversation, withMedia } from "./translated.ts";

/** What a key may search. */
export type SearchScope = Pick<Identity, "endpoints" | "domains">;

/** A conversation whose model may search by the gateway. */
export interface SearchingConversation extends TranslatedConversation {
  readonly identity: SearchScope;
}

/** Whether the gateway has to do with the web search of a request: it asks for one, or an earlier answer has made one. */
export function concernsSearch({
  conversation,
  identity,
}: Pick<SearchingConversation, "conversation" | "identity">): boolean {
  return (maySearch(identity) && asksForSearch(conversation)) || hasSearched(conversation);
}

/** A key that may not search does not search within a conversation either. */
export function maySearch({ endpoints }: SearchScope): boolean {
  return endpoints === null || endpoints.has("search");
}

/** A request whose model may search by the gateway, or continues an answer that has searched. */
export function searching(
  input: SearchingConversation,
  provider: DialectCodec,
  target: Target,
  model: Model,
  settings: WebSearchSettings,
  tools: ExchangeTools,
): Exchange | Promise<Exchange> {
  const { conversation, context, caller, identity } = input;
  if (!maySearch(identity) || !asksForSearch(conversation)) {
    return translated({ ...input, conversation: withoutSearches(conversation) }, provider, target, model, tools);
  }
  const search = offerSearch(conversation, settings, identity.domains);
  const encodeTarget = encodeTargetOf(target, model);
  const carry = (request: ConversationRequest) =>
    searchingExchange({
      caller,
      provider,
      context,
      target: encodeTarget,
      search: { ...search, conversation: request },
    });
  return withMedia(search.conversation, provider, target, tools.fetchMedia, carry);
}
