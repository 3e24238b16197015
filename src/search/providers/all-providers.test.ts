import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AnswerFault } from "../../dialects/exchange.ts";
import { isObject } from "../../json/values.ts";
import { startSandbox, type Sandbox } from "../../sandbox/server.ts";
import { callVendor } from "../../sandbox/search/vendor-client.testkit.ts";
import { noRules } from "../domains/domain-rules.ts";
import { fitQuery } from "../fit-query.ts";
import { normalizeResults } from "../normalize/normalize-results.ts";
import { readLanguage } from "../places.ts";
import type { SearchProvider } from "../provider.ts";
import { type ProviderQuery, searchDepths, searchTypes, timeRanges } from "../query.ts";
import { searchRequest } from "../request.testkit.ts";
import { providerQuery } from "./provider-query.testkit.ts";
import { searchProviders } from "./registry.ts";

/** Words that answers of providers have as names, so that arbitrary JSON comes near to an answer. */
const names = (
  "results organic news web data items title name url link content snippet description highlights text excerpts answer sources " +
  "date published_date publishedDate page_age age score position usage credits costDollars total meta metadata markdown error " +
  "message code status detail success warnings request_id requestId search_id unresponsive_engines organic_results news_results " +
  "searchParameters type query errors tag loc tokens publishedTime last_updated total " +
  "search_metadata search_uuid creditsUsed sourceURL statusCode publish_date snippets contents count name"
).split(" ");

const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.double(),
    fc.constantFrom(null, true, 200, 20000, "search", "news", "https://example.com/a", "2 days ago", Number.MAX_VALUE),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 8 }),
}));

const list = fc.array(anyJson.value, { maxLength: 4 });
const sections = fc.record({ web: list, news: list, results: list });
/** Answers with lists of results wherever a provider has them, so that what reads one result is reached. */
const anyAnswer = fc.record({
  results: fc.oneof(list, sections),
  data: fc.oneof(list, sections),
  web: sections,
  sources: list,
  organic: list,
  news: list,
  organic_results: list,
  news_results: list,
  usage: anyJson.value,
  warnings: anyJson.value,
  metadata: anyJson.value,
  search_metadata: anyJson.value,
  answer: anyJson.value,
});

const anyQuery = fc
  .record({
    query: fc
      .array(fc.oneof(fc.constantFrom("coffee", "train", "!!g", ":de", "site:x"), fc.string({ minLength: 1 })), {
        minLength: 1,
      })
      .map((words) => words.join(" ").replaceAll(/\s+/g, " ").trim())
      .filter((text) => text !== ""),
    type: fc.constantFrom(...searchTypes),
    count: fc.integer({ min: 1, max: 20 }),
    country: fc.constantFrom(null, "DE", "US", "SG", "VN", "GB", "CI"),
    language: fc.constantFrom("de", "ja", "pt-BR", "zh-Hant-TW", "he", "xx").map(readLanguage),
    timeRange: fc.constantFrom(null, ...timeRanges),
    depth: fc.constantFrom(...searchDepths),
    includeAnswer: fc.boolean(),
    includeRawContent: fc.boolean(),
    includeDomains: fc.array(fc.domain(), { maxLength: 3 }),
    excludeDomains: fc.array(fc.domain(), { maxLength: 3 }),
  })
  .map(providerQuery);

/** The query as the gateway puts it to the provider. */
function fitted(provider: SearchProvider, query: ProviderQuery): ProviderQuery {
  const { country, language, count, includeDomains, excludeDomains, ...others } = query;
  const include = includeDomains.length > 0 ? new Set(includeDomains) : null;
  const request = searchRequest({
    ...others,
    type: provider.capabilities.news ? query.type : "web",
    region: country,
    language: language?.tag ?? null,
    maxResults: count,
    rules: { include, exclude: new Set(excludeDomains) },
  });
  return fitQuery(request, provider, count).query;
}

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

describe.each(searchProviders.map((provider) => [provider.name, provider] as const))("%s", (_, provider) => {
  test("reads any JSON as an answer, or says that it is none", () => {
    fc.assert(
      fc.property(fc.oneof(anyJson.object, anyAnswer), anyQuery, (body, query) => {
        if (!isObject(body)) return;
        try {
          const { results, units, costUsd } = provider.readAnswer(body, query);
          normalizeResults(results, { rules: noRules, maxResults: 10, includeContent: true, now: query.now });
          for (const figure of [units, costUsd]) expect(figure === null || figure >= 0).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(AnswerFault);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("understands any error", () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.oneof(anyJson.value, fc.constant(null)), (status, body) => {
        const { message, class: kind } = provider.classifyError(status, body);
        expect(message === null || typeof message === "string").toBe(true);
        expect(kind).toBeString();
      }),
    );
  });

  test("writes any query so that it can be sent", () => {
    fc.assert(
      fc.property(anyQuery, (query) => {
        const { method, path, headers, body } = provider.toRequest(query);
        expect(path).toMatch(/^\/[\x21-\x7e]*$/);
        expect(body === null).toBe(method === "GET");
        expect(JSON.stringify(body)).toBeString();
        for (const [name, value] of Object.entries(headers)) {
          expect(name).toMatch(/^[a-z0-9-]+$/);
          expect(value).toMatch(/^[\x20-\x7e]*$/);
        }
      }),
    );
  });

  test("writes what its vendor takes, and reads the answer", async () => {
    const { signing } = provider;
    const [header, value] = signing.in === "header" ? signing.header("key") : ["x-none", ""];
    await fc.assert(
      fc.asyncProperty(anyQuery, async (asked) => {
        const query = fitted(provider, asked);
        const { method, path, headers, body } = provider.toRequest(query);
        const call = {
          method,
          path: withKey(path, signing),
          headers: { accept: "application/json", ...headers, [header]: value },
          body,
        };
        const answer = await callVendor(sandbox, provider.name, call);
        if (answer.status === 200) provider.readAnswer(answer.body, query);
        else expect(provider.classifyError(answer.status, answer.body).class).toBe("no_results");
      }),
      { numRuns: 50 },
    );
  }, 60_000);

  test("declares capabilities that fit together", () => {
    const { units, maxUnits, maxResults, resultsPerUnit, listPriceUsd } = provider.capabilities;
    expect(units.basic).toBeGreaterThanOrEqual(0);
    expect(maxUnits).toBeGreaterThanOrEqual(Math.max(units.basic, units.advanced));
    expect(maxResults).toBeGreaterThanOrEqual(10);
    expect(resultsPerUnit).toBeGreaterThanOrEqual(10);
    expect(listPriceUsd).toBeGreaterThanOrEqual(0);
    expect(provider.defaultBaseUrl ?? "https://x.test").toMatch(/^https:\/\/[a-z0-9.-]+(\/[a-z0-9/]+)?$/);
  });
});

function withKey(path: string, signing: SearchProvider["signing"]): string {
  if (signing.in !== "query") return path;
  return `${path}${path.includes("?") ? "&" : "?"}${signing.parameter}=key`;
}
