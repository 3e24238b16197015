import { describe, expect, test } from "bun:test";
import { readProviderOptions } from "../provider-options.ts";
import { readLanguage } from "../places.ts";
import type { ProviderCall, SearchProvider } from "../provider.ts";
import type { ProviderQuery } from "../query.ts";
import { providerQuery } from "./provider-query.testkit.ts";
import { searchProviders } from "./registry.ts";

/** A caller's `provider_options` must not undo what the gateway decides: the query, the domains, the key, the price. */

const everything: Partial<ProviderQuery> = {
  country: "DE",
  language: readLanguage("de"),
  timeRange: "week",
  includeDomains: ["example.com"],
  excludeDomains: ["other.test"],
};

/** The names and values that a call has, in its body or its query string. */
function fieldsOf({ path, body }: ProviderCall): ReadonlyMap<string, unknown> {
  return new Map([...new URL(path, "https://x.test").searchParams, ...Object.entries(body ?? {})]);
}

/** The query less what the provider says it cannot do. */
function asAsked({ capabilities }: SearchProvider, changes: Partial<ProviderQuery>): ProviderQuery {
  return providerQuery({
    ...changes,
    type: capabilities.news ? (changes.type ?? "web") : "web",
    includeAnswer: capabilities.answer,
    includeRawContent: capabilities.rawContent,
  });
}

/** By its provider, or for all of them. */
function expectRefused({ name: provider }: SearchProvider, name: string): void {
  expect(() => readProviderOptions({ [provider]: { [name]: "changed" } }, [])).toThrow(name);
}

describe.each(searchProviders.map((provider) => [provider.name, provider] as const))("%s", (_, provider) => {
  test("options do not change what is set by the gateway", () => {
    for (const type of ["web", "news"] as const) {
      const query = asAsked(provider, { ...everything, type });
      const fields = fieldsOf(provider.toRequest(query));
      const options = Object.fromEntries([...fields.keys()].map((name) => [name, "changed"]));
      expect(fieldsOf(provider.toRequest({ ...query, options }))).toEqual(fields);
    }
  });

  test("what asks for more than the plain search is refused, but place and time", () => {
    const plain = fieldsOf(provider.toRequest(providerQuery()));
    for (const name of plain.keys()) expectRefused(provider, name);
    const placeAndTime = fieldsOf(
      provider.toRequest(providerQuery({ country: "DE", language: readLanguage("de"), timeRange: "week" })),
    );
    for (const name of fieldsOf(provider.toRequest(asAsked(provider, everything))).keys()) {
      if (!placeAndTime.has(name)) expectRefused(provider, name);
    }
  });

  test("names that have to do with domains or keys are refused", () => {
    const known: Readonly<Record<string, string>> = {
      tavily: "include_domains exclude_domains include_domains_mode",
      serper: "q",
      exa: "includeDomains excludeDomains",
      searxng: "q engines",
      jina: "q site",
      perplexity: "search_domain_filter",
      linkup: "q includeDomains excludeDomains",
      firecrawl: "includeDomains excludeDomains",
      parallel: "advanced_settings source_policy",
      youcom: "include_domains exclude_domains boost_domains",
      serpapi: "q api_key engine as_sitesearch",
    };
    for (const name of (known[provider.name] ?? "").split(" ").filter(Boolean)) {
      expectRefused(provider, name);
    }
  });
});
