import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { fieldRows } from "../../scripts/search-providers.ts";
import type { SearchProvider } from "../../src/search/provider.ts";
import { searchProviders } from "../../src/search/providers/registry.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { maxQueryLength } from "../../src/search/read-request.ts";
import { fetchAt } from "./fetch.testkit.ts";
import { searchAt } from "./search.testkit.ts";

/** Searches with each field at each provider, and compares what happens with what docs/search-providers.md says. */

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({
    backends: (url) =>
      searchProviders.map(({ name }) => ({
        id: name,
        provider: name,
        baseUrl: `${url}/search/${name}`,
        apiKeys: ["key"],
        maxResults: 1_000,
      })),
  });
});
beforeEach(() => gateway.sandbox.reset());
afterAll(() => gateway.stop());

/** An option that the vendor knows and the gateway does not send. */
const options: Readonly<Record<string, object>> = {
  tavily: { exact_match: true },
  serper: { location: "Berlin" },
  exa: { moderation: true },
  brave: { safesearch: "strict" },
  searxng: { safesearch: "1" },
  jina: { location: "Berlin" },
  perplexity: { max_tokens: 1_000 },
  linkup: { toDate: "2026-11-01" },
  firecrawl: { location: "Berlin" },
  parallel: { session_id: "s" },
  youcom: { safesearch: "off" },
  serpapi: { device: "mobile" },
};

const domains = (count: number) => Array.from({ length: count }, (_, index) => `d${index}.test`);
/** Of so many characters, and no more words than Brave takes. */
const words = (length: number) => `coffee ${"x".repeat(length - 9)} y`;

/** What was seen of a search with these fields. */
async function drive({ name }: SearchProvider, fields: object) {
  const { status, body } = await searchAt(gateway, { backend: name, ...fields });
  const call = gateway.sandbox.requests.at(-1);
  gateway.sandbox.reset();
  const sent = call && {
    path: decodeURIComponent(call.path.replaceAll("+", " ")),
    body: new TextDecoder().decode(call.body),
    asksForPages: call.headers["x-respond-with"] !== "no-content",
  };
  return { status, body, receipt: body.route_receipt, sent: JSON.stringify(sent ?? null) };
}

/** What became of a field. */
async function treatment(provider: SearchProvider, field: string, value: unknown): Promise<string> {
  const plain = await drive(provider, {});
  const { status, receipt, sent, body } = await drive(provider, { [field]: value });
  if (status === 503 && sent === "null") return "refused";
  expect(status).toBe(200);
  if (receipt.emulated.includes(field)) return "emulated";
  if (receipt.downgrades.some((downgrade) => downgrade.field === field)) return "downgraded";
  // Some answers have it whether it was asked for or not.
  const isShown = JSON.stringify(body.results) !== JSON.stringify(plain.body.results);
  return sent === plain.sent && !isShown ? "ignored" : "native";
}

/** A filter as the page writes it: by how it is sent, and what becomes of one domain more than the maximum. */
async function domainFilter(provider: SearchProvider, field: "include_domains" | "exclude_domains"): Promise<string> {
  const { includeDomains, excludeDomains } = provider.capabilities;
  const max = (field === "include_domains" ? includeDomains : excludeDomains)?.maxDomains ?? 0;
  expect(await treatment(provider, field, domains(max + 1))).toBe("emulated");
  if (max === 0) return "emulated";
  const { receipt, sent } = await drive(provider, { [field]: domains(max) });
  expect(receipt.emulated).not.toContain(field);
  for (const domain of domains(max)) expect(sent).toContain(domain);
  return `${/site:d0\.test/.test(sent) ? "in the query" : "native"}, up to ${max}`;
}

const driven: Readonly<Record<string, (provider: SearchProvider) => Promise<string>>> = {
  async query(provider) {
    const isCut = async (length: number) => {
      const { receipt } = await drive(provider, { query: words(length) });
      return receipt.downgrades.some(({ field, reason }) => field === "query" && reason === "truncated");
    };
    const { maxQueryLength: max } = provider.capabilities;
    if (max === null || max >= maxQueryLength) return (await isCut(maxQueryLength)) ? "cut" : "native";
    expect([await isCut(max), await isCut(max + 1), await isCut(maxQueryLength)]).toEqual([false, true, true]);
    return `cut at ${max}`;
  },
  "type: news": (provider) => treatment(provider, "type", "news"),
  region: (provider) => treatment(provider, "region", "DE"),
  language: (provider) => treatment(provider, "language", "de"),
  time_range: (provider) => treatment(provider, "time_range", "week"),
  search_depth: (provider) => treatment(provider, "search_depth", "advanced"),
  include_answer: (provider) => treatment(provider, "include_answer", true),
  include_raw_content: (provider) => treatment(provider, "include_raw_content", true),
  async max_results(provider) {
    const { maxResults: max } = provider.capabilities;
    const { receipt } = await drive(provider, { max_results: max });
    expect(receipt.emulated).toEqual([]);
    expect(await treatment(provider, "max_results", max + 1)).toBe("emulated");
    const { body } = await drive(provider, { max_results: 1 });
    expect(body.results).toHaveLength(1);
    return `up to ${max}`;
  },
  include_domains: (provider) => domainFilter(provider, "include_domains"),
  exclude_domains: (provider) => domainFilter(provider, "exclude_domains"),
  async include_provider_payload(provider) {
    const { body } = await drive(provider, { include_provider_payload: true });
    return body.provider_payload === null ? "downgraded" : "native";
  },
  async provider_options(provider) {
    return treatment(provider, "provider_options", { [provider.name]: options[provider.name] });
  },
  async fetch(provider) {
    const formats: string[] = [];
    for (const format of ["markdown", "text"]) {
      const page = { urls: ["https://www.example.com/coffee/brewing"], format };
      const { status, body } = await fetchAt(gateway, { ...page, backend: provider.name });
      if (status === 503) return "refused";
      expect(body.results[0]?.error).toBeNull();
      if (!body.route_receipt.downgraded) formats.push(format);
    }
    return `native: ${formats.join(", ")}`;
  },
  async score(provider) {
    const { body } = await drive(provider, { query: "coffee brewing" });
    // The sandbox's has scores, as the vendor has for some kinds of search.
    if (provider.name === "exa") return "from the rank";
    const isFromRank = body.results.every(({ score }, rank) => Math.abs(score - 1 / (rank + 1)) < 1e-6);
    return isFromRank ? "from the rank" : "the provider's";
  },
  async units(provider) {
    const unitsOf = async (depth: string) =>
      (await drive(provider, { search_depth: depth })).body.usage.web_search_billable_units;
    const [basic, advanced] = [await unitsOf("basic"), await unitsOf("advanced")];
    return basic === advanced ? String(basic) : `${basic}, advanced ${advanced}`;
  },
};

describe.each(searchProviders.map((provider) => [provider.name, provider] as const))("%s", (_, provider) => {
  test.each(fieldRows.map(([field, of]) => [field, of(provider)] as const))("%s: %s", async (field, said) => {
    expect(await driven[field]?.(provider)).toBe(said);
  });
});
