/**
 * Writes `docs/search-providers.md`: what each search provider does with each field of a search and with each status, from
 * the tables and functions that the gateway goes by. Run it after changing a provider; a test holds the page against the code.
 */
import type { DomainFilter } from "../src/search/capabilities.ts";
import { fitQuery } from "../src/search/fit-query.ts";
import type { PageFetcher } from "../src/search/fetch/page-fetcher.ts";
import type { SearchProvider } from "../src/search/provider.ts";
import { searchProviders } from "../src/search/providers/registry.ts";
import { maxQueryLength } from "../src/search/read-request.ts";
import { searchRequest } from "../src/search/request.testkit.ts";
import type { SearchRequest } from "../src/search/request.ts";
import { markdownTable } from "./markdown-table.ts";

export const searchProvidersFile = new URL("../docs/search-providers.md", import.meta.url);

/** A request with one field, for each field that a provider may leave out. */
const asked: Readonly<Record<string, Partial<SearchRequest>>> = {
  region: { region: "DE" },
  language: { language: "de" },
  time_range: { timeRange: "week" },
  search_depth: { depth: "advanced" },
  include_answer: { includeAnswer: true },
  include_raw_content: { includeRawContent: true },
};

/** What becomes of a field that is given by itself. */
function treatment(provider: SearchProvider, field: string): string {
  const { query, downgrades } = fitQuery(searchRequest(asked[field]), provider, 10);
  const left = [...downgrades, ...provider.toRequest(query).downgrades];
  return left.some((downgrade) => downgrade.field === field) ? "downgraded" : "native";
}

function domains(filter: DomainFilter | null): string {
  if (filter === null) return "emulated";
  return `${filter.by === "query" ? "in the query" : "native"}, up to ${filter.maxDomains}`;
}

/** What the page says of each field. A test drives each of them. */
export const fieldRows: readonly (readonly [field: string, of: (provider: SearchProvider) => string])[] = [
  [
    "query",
    ({ capabilities: { maxQueryLength: max } }) => (max === null || max >= maxQueryLength ? "native" : `cut at ${max}`),
  ],
  ["type: news", ({ capabilities }) => (capabilities.news ? "native" : "refused")],
  ...Object.keys(asked).map((field) => [field, (provider: SearchProvider) => treatment(provider, field)] as const),
  ["max_results", ({ capabilities }) => `up to ${capabilities.maxResults}`],
  ["include_domains", ({ capabilities }) => domains(capabilities.includeDomains)],
  ["exclude_domains", ({ capabilities }) => domains(capabilities.excludeDomains)],
  ["include_provider_payload", () => "native"],
  ["provider_options", () => "native"],
  ["fetch", ({ fetch }) => (fetch ? `native: ${fetch.formats.join(", ")}` : "refused")],
  ["score", ({ capabilities }) => (capabilities.score ? "the provider's" : "from the rank")],
  [
    "units",
    ({ capabilities: { units } }) =>
      units.basic === units.advanced ? String(units.basic) : `${units.basic}, advanced ${units.advanced}`,
  ],
];

const fetchUnits = (provider: SearchProvider) => (provider.fetch ? unitsOfFetch(provider.fetch) : "");

function unitsOfFetch({ units: { pagesPerUnit, maxPerPage } }: PageFetcher): string {
  if (maxPerPage !== null) return `1 to ${maxPerPage} a page`;
  return pagesPerUnit === 1 ? "1 a page" : `1 for ${pagesPerUnit} pages`;
}

const statuses = [400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 432, 433, 451, 500, 502, 503, 504];

const meanings: readonly (readonly [kind: string, named: string, auto: string, charge: string])[] = [
  ["request", "400, 413 or 422, in the provider's words", "the next backend", "none"],
  ["credential", "502 `upstream_error`", "the next key, then the next backend", "none"],
  ["quota", "502 `upstream_error`", "the next key, then the next backend", "none"],
  ["rate_limit", "429 `provider_rate_limit` with `Retry-After`", "the next key, then the next backend", "none"],
  ["timeout", "504", "the next backend", "none"],
  ["server", "502 `upstream_error`", "the next backend", "none"],
  ["no_results", "200 with no results", "200 with no results", "as an answer"],
  ["no connection", "502 `upstream_unreachable`", "the next backend", "none"],
  ["an answer that is none", "502 `upstream_invalid_response`", "the next backend", "none"],
];

export function searchProvidersPage(): string {
  const names = searchProviders.map(({ name }) => name);
  return [
    introduction,
    markdownTable(
      ["field", ...names],
      [...fieldRows, ["units of a fetch", fetchUnits] as const].map(([field, of]) => [
        field,
        ...searchProviders.map(of),
      ]),
    ),
    faults,
    markdownTable(
      ["status", ...names],
      statuses.map((status) => [
        String(status),
        ...searchProviders.map((provider) => provider.classifyError(status, null).class),
      ]),
    ),
    "What follows from each:",
    markdownTable(["class", "a named backend", "under `auto`", "charge"], meanings),
  ]
    .map((part) => part.trim())
    .join("\n\n")
    .concat("\n");
}

const introduction = `
# Search providers

What each provider does with each field of a [search](search.md), and with [pages](fetch.md): _native_ (it is asked for it), _emulated_ (the gateway does
it), _downgraded_ (it is left out, and the receipt says so), _refused_ (the backend is no candidate).

The page is written by \`scripts/search-providers.ts\` from the tables that the gateway goes by; \`test/search/fields.test.ts\`
searches with each field and each provider, and fails if it sees anything else.
`;

const faults = `
## Faults

What a status means if the answer says nothing more. Where a provider's body says more, the body decides: Serper says with
400 that its credits are used up, Brave with 422 that the key is wrong. The tests of each provider's folder in
\`src/search/providers/\` have its bodies, and [what was observed of each fault](search-faults.md) is a page of its own.
`;

if (import.meta.main) await Bun.write(searchProvidersFile, searchProvidersPage());
