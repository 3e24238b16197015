import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AnswerFault } from "../../dialects/exchange.ts";
import { isObject } from "../../json/values.ts";
import { callVendor } from "../../sandbox/search/vendor-client.testkit.ts";
import { startSandbox, type Sandbox } from "../../sandbox/server.ts";
import { matchPages } from "../fetch/match-pages.ts";
import { fetchFormats, type PageFetcher } from "../fetch/page-fetcher.ts";
import { readFetchRequest } from "../fetch/read-request.ts";
import { searchProviders } from "./registry.ts";

const asked = ["https://www.example.com/coffee/brewing", "https://example.org/missing"];

/** Words that answers have as names or values, so that arbitrary JSON comes near to an answer. */
const names = (
  "results failed_results statuses errors data meta usage url id title raw_content text full_content content markdown error " +
  "error_type http_status_code status tag httpStatusCode warning metadata statusCode creditsUsed sourceURL credits tokens " +
  "costDollars total count name excerpts request_id requestId extract_id success"
).split(" ");

const anyJson = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.string(),
    fc.double(),
    fc.constantFrom(null, true, 0, 404, "error", "success", ...asked, "http://127.0.0.1/", Number.MAX_VALUE),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(fc.constantFrom(...names), tie("value"), { maxKeys: 8 }),
}));
const list = fc.array(anyJson.value, { maxLength: 4 });
const anyAnswer = fc.record({
  results: list,
  failed_results: anyJson.value,
  statuses: anyJson.value,
  errors: anyJson.value,
  data: anyJson.object,
  meta: anyJson.value,
  usage: anyJson.value,
});

const fetchers = searchProviders.flatMap(({ name, fetch, signing }) =>
  fetch ? [[name, fetch, signing] as const] : [],
);

test("are those of the providers that say that they fetch", () => {
  for (const { name, capabilities, fetch } of searchProviders) {
    expect([name, capabilities.fetch]).toEqual([name, fetch !== undefined]);
  }
  expect(fetchers.map(([name]) => name)).toEqual(["tavily", "exa", "jina", "firecrawl", "parallel"]);
});

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const request = readFetchRequest({ urls: asked }, null, []);

describe.each(fetchers)("%s", (name, fetcher, signing) => {
  test("reads any JSON as an answer, or says that it is none", () => {
    fc.assert(
      fc.property(fc.oneof(anyJson.object, anyAnswer), (body) => {
        if (!isObject(body)) return;
        try {
          const { pages, units, costUsd } = fetcher.readAnswer(body);
          const results = matchPages(request, pages);
          expect(results.map(({ url }) => url)).toEqual(asked);
          for (const { content, error } of results) expect(content === null).toBe(error !== null);
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
        const meaning = fetcher.classifyError(status, body);
        expect("page" in meaning ? meaning.page : meaning.class).toBeString();
      }),
    );
  });

  test("writes what its vendor takes, and reads the answer", async () => {
    const [header, value] = signing.in === "header" ? signing.header("key") : ["x-none", ""];
    for (const format of fetcher.formats) {
      for (const urls of fetcher.isOnePerCall ? asked.map((url) => [url]) : [asked]) {
        const { method, path, headers, body } = fetcher.toRequest({ urls, format, timeoutMs: 7_000 });
        const answer = await callVendor(sandbox, name, {
          method,
          path,
          headers: { accept: "application/json", ...headers, [header]: value },
          body,
        });
        expect(answer.status).toBe(200);
        expect(fetcher.readAnswer(answer.body).pages).toHaveLength(urls.length);
      }
    }
  });

  test("its vendor is strict, and refuses a key and an address in its own form", async () => {
    const { method, path, headers, body } = fetcher.toRequest({
      urls: asked.slice(0, 1),
      format: "markdown",
      timeoutMs: 7_000,
    });
    const ask = (change: object, key: string) => {
      const [header, value] = signing.in === "header" ? signing.header(key) : ["x-none", ""];
      const all = { accept: "application/json", ...headers, [header]: value };
      return callVendor(sandbox, name, { method, path, headers: all, body: { ...body, ...change } });
    };
    expect((await ask({}, "key")).status).toBe(200);
    const wrongKey = await ask({}, "wrong");
    expect(fetcher.classifyError(wrongKey.status, wrongKey.body)).toMatchObject({ class: "credential" });
    expect([400, 422]).toContain((await ask({ unknown_parameter: 1 }, "key")).status);
    const badUrl = fetcher.isOnePerCall ? { url: "ftp://example.com" } : { urls: ["ftp://example.com"] };
    expect([400, 422]).toContain((await ask(badUrl, "key")).status);
    if (!fetcher.isOnePerCall) expect([400, 422]).toContain((await ask({ urls: [] }, "key")).status);
  });

  test("declares units and formats that fit together", () => {
    const { units, formats } = fetcher;
    expect(units.pagesPerUnit).toBeGreaterThanOrEqual(1);
    expect(units.maxPerPage === null || units.maxPerPage >= 1).toBe(true);
    for (const format of formats) expect(fetchFormats).toContain(format);
  });
});

test("Jina's reader has an address of its own, and other addresses stay as they are", () => {
  const jina = fetchers.find(([name]) => name === "jina")?.[1] as PageFetcher;
  const addresses = [
    "https://s.jina.ai",
    "https://eu.s.jina.ai",
    "http://127.0.0.1:1/search/jina",
    "https://s.jina.ai.evil.test",
  ];
  expect(addresses.map((address) => jina.baseUrl?.(address))).toEqual([
    "https://r.jina.ai",
    "https://eu.r.jina.ai",
    "http://127.0.0.1:1/search/jina",
    "https://s.jina.ai.evil.test",
  ]);
});
