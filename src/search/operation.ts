import { openaiErrorFormat } from "../dialects/openai-chat/errors.ts";
import { unsupportedParameter } from "../errors.ts";
import { readJsonObject } from "../json/read-object.ts";
import { jsonText } from "../operations/conversation.ts";
import type { JsonObject } from "../json/values.ts";
import type { Operation, OperationInput, ReadContext } from "../operations/operation.ts";
import { arrangeBackends } from "./arrange-backends.ts";
import { type CacheUse, keeping, keyOf, readCacheUse, recallSearch } from "./cache/kept-search.ts";
import { searchExchange } from "./exchange.ts";
import { findSearchProvider } from "./providers/registry.ts";
import { readBackendName, readSearchRequest } from "./read-request.ts";
import { routeReceipt } from "./receipt.ts";
import type { SearchRequest } from "./request.ts";

interface SearchInput extends OperationInput {
  readonly request: SearchRequest;
  /** The paths of fields that nobody reads. */
  readonly unread: readonly string[];
  /** Absent: it is made anew, and its answer is not kept. */
  readonly cacheUse?: CacheUse;
}

/** Reads the fields of a search, also of one that is made for another request. Throws a 400 or 403 that names the field. */
export function readSearch(
  fields: JsonObject,
  { identity, headers, now }: Pick<ReadContext, "identity" | "headers" | "now">,
): SearchInput {
  const unread: string[] = [];
  const request = readSearchRequest(fields, identity.domains, now, unread);
  const cacheUse = readCacheUse(identity.key.accountId, headers);
  return { model: readBackendName(fields.backend), stream: false, request, unread, cacheUse };
}

/** `POST /v1/search`: one question to any search provider. Its `model` is the backend that is asked for. */
export const search: Operation<SearchInput> = {
  endpoint: "search",
  paths: ["/v1/search"],
  method: "POST",
  body: "json",
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  names: "backends",
  countsTokens: false,
  read: (body, context) => readSearch(readJsonObject(jsonText(body), new Set()).body, context),
  checkModel({ request }, { id, search: settings }) {
    if (!settings?.isEnabled) throw unsupportedParameter("backend", "it is disabled");
    const provider = findSearchProvider(settings.provider);
    if (request.type === "web" || provider?.capabilities.news) return;
    throw unsupportedParameter("type", `'${id}' cannot search for news`);
  },
  arrange: ({ request }, ...choice) => arrangeBackends(request, ...choice),
  failureReceipt: ({ request }, way) => routeReceipt(request, way, null),
  expectedUsage: ({ request }) => ({ expected: {}, max: () => ({}), writes: null, searches: request.depth }),
  size: () => 0,
  estimateInput: async () => 0,
  exchange({ request, unread, cacheUse }, target, model, { dialects, searchCache = null }) {
    const [name] = target.provider.dialects;
    const provider = name === undefined ? undefined : dialects.find(name).provides.search;
    if (!provider || !model.search) return null;
    const { maxResults } = model.search;
    const key = searchCache && cacheUse?.mayKeep ? keyOf(request, cacheUse.accountId, { model, target }) : null;
    if (searchCache === null || key === null) return searchExchange(request, provider, maxResults, unread);
    // What one caller wrote and nobody reads is no part of what is kept.
    return withUnread(
      unread,
      keeping(searchExchange({ ...request, cache: "miss" }, provider, maxResults, []), searchCache, key),
    );
  },
  recall({ request, unread, cacheUse }, candidates, { searchCache = null }) {
    if (searchCache === null || !cacheUse?.mayRecall) return null;
    const recalled = recallSearch(request, cacheUse, searchCache, candidates);
    return recalled && withUnread(unread, recalled);
  },
};

function withUnread<Answering extends { readonly warnings: readonly string[] }>(
  unread: readonly string[],
  answering: Answering,
): Answering {
  return { ...answering, warnings: [...unread, ...answering.warnings] };
}
