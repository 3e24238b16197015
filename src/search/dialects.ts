import type { Dialect } from "../dialects/dialect.ts";
import { openaiErrorFormat, readError } from "../dialects/openai-chat/errors.ts";
import { fetchPages } from "./fetch/operation.ts";
import { search } from "./operation.ts";
import type { SearchProvider } from "./provider.ts";
import { searchProviders } from "./providers/registry.ts";

declare module "../operations/provider-halves.ts" {
  interface ProviderHalves {
    readonly search?: SearchProvider;
  }
}

/** The caller half of search: a form of the gateway's own, which no provider speaks. */
const searchCallers: Dialect = {
  name: "search",
  title: "Search",
  defaultBaseUrl: null,
  signing: { in: "header", header: (credential) => ["authorization", `Bearer ${credential}`] },
  modelList: null,
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  readError,
  operations: [search, fetchPages],
  provides: {},
};

/** A search provider as a dialect that only providers speak. */
function asDialect(provider: SearchProvider): Dialect {
  const { name, title, defaultBaseUrl, signing } = provider;
  return { ...searchCallers, name, title, defaultBaseUrl, signing, operations: [], provides: { search: provider } };
}

/** The dialects of search. */
export const searchDialects: readonly Dialect[] = [searchCallers, ...searchProviders.map(asDialect)];
