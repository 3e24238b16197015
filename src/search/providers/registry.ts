import type { SearchProvider } from "../provider.ts";
import { brave } from "./brave/provider.ts";
import { exa } from "./exa/provider.ts";
import { firecrawl } from "./firecrawl/provider.ts";
import { jina } from "./jina/provider.ts";
import { linkup } from "./linkup/provider.ts";
import { parallel } from "./parallel/provider.ts";
import { perplexity } from "./perplexity/provider.ts";
import { searxng } from "./searxng/provider.ts";
import { serpapi } from "./serpapi/provider.ts";
import { serper } from "./serper/provider.ts";
import { tavily } from "./tavily/provider.ts";
import { youcom } from "./youcom/provider.ts";

/** Every search provider: one line each. The words of the configuration, routing and the documentation are made from it. */
export const searchProviders: readonly SearchProvider[] = [
  tavily,
  serper,
  exa,
  brave,
  searxng,
  jina,
  perplexity,
  linkup,
  firecrawl,
  parallel,
  youcom,
  serpapi,
];

/** The names of all search providers, as the configuration and callers write them. */
export const searchProviderNames: readonly string[] = searchProviders.map(({ name }) => name);

const byName = new Map(searchProviders.map((provider) => [provider.name, provider]));

/** Null if there is no such provider. */
export function findSearchProvider(name: string): SearchProvider | null {
  return byName.get(name) ?? null;
}
