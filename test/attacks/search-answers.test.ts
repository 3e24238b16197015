import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Behaviour } from "./hostile-provider.testkit.ts";
import { maxStall, printReports, startWatchedGateway, type WatchedGateway } from "./watched-gateway.testkit.ts";

/** Answers of search providers that are dear to read: whole pages, long texts, many addresses. */

const json = (payload: object): Behaviour => {
  let body: Buffer | null = null;
  return (response) => {
    body ??= Buffer.from(JSON.stringify(payload));
    response.writeHead(200, { "content-type": "application/json" }).end(body);
  };
};

const tavily = (results: readonly object[], more: object = {}) => json({ query: "q", results, ...more });
const page = (index: number, more: object) => ({
  title: "t",
  url: `https://example.com/${index}`,
  content: "s",
  ...more,
});
const list = <Item>(length: number, make: (index: number) => Item) => Array.from({ length }, (_, index) => make(index));

/** Pages of 400,000 characters. */
const pages = (unit: string, count = 18) =>
  tavily(list(count, (index) => page(index, { raw_content: unit.repeat(400_000 / unit.length) })));

const addresses = (make: (index: number) => string) =>
  tavily([page(0, {})], { images: list(50_000, (index) => make(index)) });

const whole = { include_raw_content: true, include_provider_payload: true, max_results: 20 };
const within = { include_domains: ["example.com"], include_answer: true, include_provider_payload: true };

const cases: Readonly<Record<string, readonly [provider: string, behave: Behaviour, body: object, status?: number]>> = {
  "pages of words": ["tavily", pages("The quick brown fox jumps. "), whole],
  "pages of tags": ["tavily", pages("<p>a<b>b</b></p>"), whole],
  "pages of entities": ["tavily", pages("&amp;&#39;x"), whole],
  "pages of tags without an end": ["tavily", pages("<a "), whole],
  "pages of scripts without an end": ["tavily", pages("<script"), whole],
  "pages of comments": ["tavily", pages("<!--a-->b"), whole],
  "pages of emoji": ["tavily", pages("😀", 9), whole],
  "pages of line breaks": ["tavily", pages("\r\nline of a page  "), whole],
  "a page that is found a thousand times": [
    "tavily",
    tavily(list(1_000, () => page(0, { raw_content: "<b>x</b>".repeat(900) }))),
    whole,
  ],
  "passages without number": [
    "parallel",
    json({
      search_id: "s",
      results: list(20, (index) => ({ ...page(index, {}), excerpts: list(2_500, () => "x <b>") })),
    }),
    whole,
  ],
  "addresses that are allowed": ["tavily", addresses((index) => `https://example.com/${index}`), within],
  "addresses in other letters": ["tavily", addresses((index) => `https://é${index}.example.com/`), within],
  "addresses of many labels": [
    "tavily",
    addresses((index) => `https://${"a.".repeat(40)}example.com/${index}`),
    within,
  ],
  "objects with addresses": [
    "tavily",
    tavily(list(14_000, (index) => ({ url: `https://example.com/${index}` }))),
    within,
  ],
  "an answer that is one long word": ["tavily", tavily([page(0, {})], { answer: "a".repeat(1_000_000) }), within],
  "an answer of addresses": [
    "tavily",
    tavily([page(0, {})], { answer: "https://example.com ".repeat(100_000) }),
    within,
  ],
  "an address with dots without end": [
    "tavily",
    tavily([page(0, {})], { answer: `https://example.com/${".".repeat(1_000_000)}a` }),
    within,
  ],
  "more than is read": ["tavily", pages("x".repeat(600)), whole],
};

describe.skipIf(process.platform !== "linux")("answers of search providers", () => {
  let gateway: WatchedGateway;
  const names = Object.keys(cases);
  const search = (backend: string, fields: object) =>
    gateway.post("/v1/search", JSON.stringify({ query: "q", backend, ...fields }));
  beforeAll(async () => {
    const backends = Object.values(cases).map(
      ([provider, behave], index) => [`b${index}`, { provider, behave }] as const,
    );
    const small = { provider: "tavily", behave: tavily([page(0, {})]) };
    gateway = await startWatchedGateway({ search: { ...Object.fromEntries(backends), small } });
    for (let count = 0; count < 60; count++) await (await search("small", {})).text();
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
  });

  test.each(names.map((name, index) => [name, index] as const))("%s", async (name, index) => {
    const [, , fields, expected = 200] = cases[name] ?? ["", null, {}];
    let status = 0;
    const { stall, unrecorded } = await gateway.attack(`search: ${name}`, async () => {
      const response = await search(`b${index}`, fields);
      status = response.status;
      await response.arrayBuffer();
    });
    expect(status).toBe(expected);
    expect(stall).toBeLessThan(maxStall);
    expect(unrecorded).toBe(0);
  });
});
