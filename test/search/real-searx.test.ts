import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { findSearx, type RunningSearx, startSearx } from "../../scripts/searx.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { type LocalEngines, startLocalEngines } from "./local-engines.testkit.ts";
import { searchAt } from "./search.testkit.ts";

/** A real searx, whose form of answers is SearXNG's: Debian's package over local data. */

const missing = await findSearx();

const pages = [
  { url: "https://example.com/coffee", title: "Coffee <b>by</b> hand", content: "Brewing coffee &amp; tea" },
  { url: "https://docs.example.com/coffee", title: "Coffee machines", content: "How a machine brews" },
  { url: "https://example.org/roasting", title: "Roasting", content: "Beans of coffee, roasted" },
  { url: "https://bücher.example.net/coffee", title: "Books", content: "All about coffee" },
];
const news = [{ url: "https://news.example.net/harvest", title: "Harvest", content: "The coffee harvest is late" }];

describe.skipIf(missing !== null)(missing === null ? "a real searx" : `a real searx (skipped: ${missing})`, () => {
  let engines: LocalEngines;
  let searx: RunningSearx;
  let gateway: TestGateway;

  beforeAll(async () => {
    engines = startLocalEngines(pages, news);
    searx = await startSearx(engines.settings);
    gateway = await startTestGateway({
      backends: (url) => [
        { id: "searx", provider: "searxng", baseUrl: searx.url, apiKeys: [], allowFallback: true },
        { id: "alone", provider: "searxng", baseUrl: searx.url, apiKeys: [], priority: 2 },
        { id: "spare", provider: "tavily", baseUrl: `${url}/search/tavily`, apiKeys: ["key"], priority: 3 },
      ],
    });
  }, 90_000);
  beforeEach(() => {
    engines.isBroken = false;
  });
  afterAll(async () => {
    await gateway.stop();
    await searx.stop();
    await engines.stop();
  });

  test("is searched, and a page that two engines find is one result", async () => {
    const { status, body } = await searchAt(gateway, { query: "coffee", include_provider_payload: true });
    expect(status).toBe(200);
    expect(body.provider_trace).toMatchObject({ backend: "searxng", attempts: 1 });
    const sources = body.results.map(({ source }) => source).toSorted();
    expect(sources).toEqual(["docs.example.com", "example.com", "example.org", "xn--bcher-kva.example.net"]);
    expect(body.results.find(({ source }) => source === "example.com")).toMatchObject({
      title: "Coffee by hand",
      url: "https://example.com/coffee",
      snippet: "Brewing coffee & tea",
      published_at: null,
    });
    expect(body.results.map(({ score }) => score)).toContain(1);
    for (const { score } of body.results) expect(score).toBeWithin(0, 1.000001);
    const found = body.provider_payload?.["results"] as readonly { readonly engines: readonly string[] }[];
    // searx itself keeps results of different templates apart.
    expect(found.flatMap((each) => each.engines).toSorted()).toEqual([
      ...pages.map(() => "index"),
      ...pages.map(() => "web"),
    ]);
  });

  test("finds news, and takes a range of time, a language and a country", async () => {
    const { status, body } = await searchAt(gateway, {
      type: "news",
      query: "coffee",
      time_range: "week",
      language: "de",
      region: "AT",
    });
    expect(status).toBe(200);
    expect(body.results.map(({ source }) => source)).toEqual(["news.example.net"]);
    expect(body.route_receipt).toMatchObject({ selected_backend: "searx", downgrades: [] });
  });

  test("finds nothing, which is an answer", async () => {
    const { status, body } = await searchAt(gateway, { query: "xylophone" });
    expect([status, body.results, body.route_receipt.selected_backend]).toEqual([200, [], "searx"]);
  });

  test("keeps to domains whatever its engines make of them", async () => {
    const { body } = await searchAt(gateway, { query: "coffee", include_domains: ["example.com"] });
    expect(body.results.map(({ source }) => source).toSorted()).toEqual(["docs.example.com", "example.com"]);
    expect(engines.asked.at(-1)).toBe("coffee site:example.com");
    const without = await searchAt(gateway, {
      query: "coffee",
      exclude_domains: ["example.com", "bücher.example.net"],
    });
    expect(without.body.results.map(({ source }) => source)).toEqual(["example.org"]);
  });

  test.each([["!!g coffee"], ["!headlines coffee"], [":fr coffee"], ["?coffee"], ["<1 coffee"]])(
    "takes no command in a query: %s",
    async (query) => {
      const { status, body } = await searchAt(gateway, { query });
      expect(status).toBe(200);
      expect(body.results.map(({ source }) => source)).toContain("example.com");
      expect(body.results.map(({ source }) => source)).not.toContain("news.example.net");
    },
  );

  test("refuses a parameter in its own words", async () => {
    const { status, body } = await searchAt(gateway, {
      backend: "alone",
      provider_options: { searxng: { pageno: "x" } },
    });
    expect([status, body.error?.type]).toEqual([400, "invalid_request_error"]);
    expect(body.error?.message).toContain("pageno");
  });

  test("whose engines fail is no empty answer: the next backend is asked", async () => {
    engines.isBroken = true;
    const { status, body } = await searchAt(gateway, { type: "news", query: "coffee harvest" });
    expect(status).toBe(200);
    expect(body.route_receipt).toMatchObject({
      selected_backend: "spare",
      rejected: [
        { backend: "searx", reason: "failed_invalid_response" },
        { backend: "alone", reason: "failed_invalid_response" },
      ],
    });
    const alone = await searchAt(gateway, { backend: "alone", type: "news" });
    expect([alone.status, alone.body.error?.code]).toEqual([502, "upstream_invalid_response"]);
  });
});
