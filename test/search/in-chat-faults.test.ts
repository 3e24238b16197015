import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { chatCaller, messagesCaller, responsesCaller } from "../dialects/callers.testkit.ts";
import { post, requestIdOf, scripted } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { until } from "../until.testkit.ts";
import {
  callers,
  dialects,
  modelOf,
  prices,
  searchesOf,
  searchingScript,
  searchTool,
  startSearchingGateway,
} from "./in-chat.testkit.ts";

/** What goes wrong while a conversation is searched for. */
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startSearchingGateway();
});
beforeEach(() => gateway.sandbox.reset());
afterAll(() => gateway.stop());

const backends = ["search/tavily@main", "search/tavily@spare"];
const answer = "So be it [1].";
const model = modelOf("openai-chat");
const tokens = { input: 40, output: 10 };
const ownCost = 80 + 20 * prices.output;
const script = searchingScript(answer, ["coffee"], { tokens });
const failing = { kind: "status", status: 500 } as const;

describe("a search that fails", () => {
  test("is made at the next backend", async () => {
    gateway.sandbox.setModel("search/tavily@main", { fault: failing });
    const response = await post(gateway, chatCaller, model, scripted(script), { more: searchTool(chatCaller) });
    expect(searchesOf(chatCaller, await response.json()).cited).toHaveLength(1);
    const record = await gateway.record(requestIdOf(response));
    expect(record.billing.amount_microusd).toBe(ownCost + prices.search);
    expect(record.route_receipt).toMatchObject({
      searches: [
        {
          selected_backend: "spare",
          rejected: [{ backend: "main", reason: "failed_server" }],
          fallback_count: 1,
        },
      ],
    });
  });

  const pairs = callers.flatMap((caller) => [false, true].map((stream) => ({ caller, stream, name: caller.name })));
  test.each(pairs)("everywhere is told to the model and free ($name, stream: $stream)", async ({ caller, stream }) => {
    for (const backend of backends) gateway.sandbox.setModel(backend, { fault: failing });
    const response = await post(gateway, caller, model, scripted(script), { stream, more: searchTool(caller) });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(stream ? caller.hear(text).text : caller.textOf(JSON.parse(text))).toBe(answer);
    expect(text).not.toContain("example.com/coffee");
    const [, , , second] = gateway.sandbox.requests.map(({ body }) => new TextDecoder().decode(body));
    expect(second).toContain("The search failed.");
    const record = await gateway.record(requestIdOf(response));
    expect(record.billing).toMatchObject({ status: "charged", amount_microusd: ownCost });
    expect(record.usage.dimensions.map(({ name }) => name)).toEqual(["input", "output"]);
    expect(record.route_receipt).toMatchObject({
      searches: [{ status: "failed", selected_backend: null, web_search_billable_units: 0 }],
    });
  });

  test("is told in the words of the dialect", async () => {
    for (const backend of backends) gateway.sandbox.setModel(backend, { fault: { kind: "close" } });
    const ask = async (caller: typeof messagesCaller) =>
      (await post(gateway, caller, model, scripted(script), { more: searchTool(caller) })).json();
    expect(await ask(messagesCaller)).toMatchObject({
      content: [
        { type: "server_tool_use" },
        { type: "web_search_tool_result", content: { error_code: "unavailable" } },
        { type: "text" },
      ],
    });
    expect(await ask(responsesCaller)).toMatchObject({ output: [{ type: "web_search_call", status: "failed" }, {}] });
  });
});

test.each([
  ["is not there", { backend: "gone", maxRounds: 3 }],
  ["does not answer in time", { backend: "slow", maxRounds: 3 }],
])("a backend that %s does not keep the model from answering", async (_name, webSearch) => {
  const own = await startSearchingGateway({
    models: [
      { id: "m", targets: [{ provider: "openai-chat", model: "deepseek-reasoner" }], parameters: {}, webSearch },
    ],
    backends: (url) => [
      {
        id: "slow",
        provider: "tavily",
        baseUrl: `${url.replace(/\/v1$/, "")}/search/tavily@slow`,
        apiKeys: ["k"],
        timeoutMs: 50,
      },
    ],
  });
  try {
    own.sandbox.setModel("search/tavily@slow", { fault: { kind: "stall", at: "headers" } });
    const response = await post(own, chatCaller, "m", scripted(script), { more: searchTool(chatCaller) });
    expect(chatCaller.textOf(await response.json())).toBe(answer);
  } finally {
    await own.stop();
  }
});

test("searches beyond what the backend takes at once are made after one another", async () => {
  const own = await startSearchingGateway({
    backends: (url) => [
      {
        id: "narrow",
        provider: "tavily",
        baseUrl: `${url.replace(/\/v1$/, "")}/search/tavily@narrow`,
        apiKeys: ["k"],
        maxInFlight: 1,
      },
    ],
  });
  try {
    const searches = ["coffee", "tea", "cocoa"].map((query) => ({ name: "web_search", arguments: { query } }));
    const turns = [{ tool_calls: searches }, { text: answer }];
    const response = await post(own, chatCaller, model, scripted({ turns }), { more: searchTool(chatCaller) });
    expect(response.status).toBe(200);
    const { route_receipt: receipt } = await own.record(requestIdOf(response));
    const succeeded = { status: "succeeded", selected_backend: "narrow" };
    expect(receipt).toMatchObject({ searches: [succeeded, succeeded, succeeded] });
  } finally {
    await own.stop();
  }
});

describe("a later round that fails", () => {
  const broken = {
    turns: [
      { text: "Let me look.", tool_calls: [{ name: "web_search", arguments: { query: "coffee" } }] },
      { fault: { kind: "status", status: 400, message: "No." } },
    ],
  };

  test.each(dialects)("is an error and free, at %s", async (dialect) => {
    for (const caller of callers) {
      const more = searchTool(caller);
      const response = await post(gateway, caller, modelOf(dialect), scripted(broken), { more });
      expect([caller.name, response.status]).toEqual([caller.name, 400]);
      expect(await gateway.record(requestIdOf(response))).toMatchObject({
        status: "failed",
        billing: { amount_microusd: 0, status: "refunded", line_items: [] },
      });
    }
  });

  test.each(callers)("ends the stream of $name with its error, and is free", async (caller) => {
    const more = searchTool(caller);
    const response = await post(gateway, caller, model, scripted(broken), { stream: true, more });
    const stream = await response.text();
    expect(response.status).toBe(200);
    expect(stream).toContain("Let");
    expect(JSON.stringify(caller.brokenOff(stream))).toContain("No.");
    expect(await gateway.eventualRecord(requestIdOf(response))).toMatchObject({
      status: "failed",
      billing: { amount_microusd: 0 },
    });
  });

  test("is tried again at the same target if its policy says so", async () => {
    const own = await startSearchingGateway({
      models: [
        {
          id: "m",
          targets: [{ provider: "openai-chat", model: "deepseek-reasoner" }],
          parameters: {},
          webSearch: { backend: "auto", maxRounds: 3 },
          retry: { attempts: 3, budgetMs: 5_000, on: ["server_error"] },
        },
      ],
    });
    try {
      for (const stream of [false, true]) {
        const [first] = script.turns;
        const fault = { kind: "status", status: 500, times: 1, key: `again-${stream}` };
        const turns = [first, { text: answer, fault }];
        const response = await post(own, chatCaller, "m", scripted({ turns }), {
          stream,
          more: searchTool(chatCaller),
        });
        const text = await response.text();
        expect(stream ? chatCaller.hear(text).text : chatCaller.textOf(JSON.parse(text))).toBe(answer);
        expect((await own.record(requestIdOf(response))).routing.attempts).toBe(3);
      }
    } finally {
      await own.stop();
    }
  });
});

describe("a caller", () => {
  const searched = () => gateway.sandbox.requests.find(({ path }) => path.includes("/search/"));
  const slow = { fault: { kind: "stall", at: "headers" } } as const;
  const talkative = {
    turns: [
      { text: "Let me look.", tool_calls: [{ name: "web_search", arguments: { query: "coffee" } }], tokens },
      { text: answer, tokens },
    ],
  };

  test.each(callers)("of $name that leaves during a search pays for the round before it", async (caller) => {
    gateway.sandbox.setModel("search/tavily@main", slow);
    const controller = new AbortController();
    const response = await gateway.fetch(caller.path(model, true), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(caller.body(model, scripted(talkative), { stream: true, more: searchTool(caller) })),
      signal: controller.signal,
    });
    const reader = response.body?.getReader();
    await reader?.read();
    await until("the search", () => searched() !== undefined);
    controller.abort();
    const record = await gateway.eventualRecord(requestIdOf(response));
    expect(record).toMatchObject({ status: "cancelled", usage: { prompt_tokens: 40 } });
    expect(record.billing.line_items.map(({ dimension }) => dimension)).toEqual(["input", "output"]);
    await until("the end of the search", () => searched()?.outcome === "aborted");
  });

  test.each([false, true])("whose own deadline passes during a search is told so (stream: %p)", async (stream) => {
    gateway.sandbox.setModel("search/tavily@main", slow);
    const response = await gateway.fetch("/v1/chat/completions", {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-timeout-ms": "400" },
      body: JSON.stringify(chatCaller.body(model, scripted(talkative), { stream, more: searchTool(chatCaller) })),
    });
    const text = await response.text();
    expect(response.status).toBe(stream ? 200 : 504);
    expect(text).toContain("deadline");
    const record = await gateway.eventualRecord(requestIdOf(response));
    expect(record).toMatchObject(
      stream ? { status: "cancelled" } : { status: "failed", billing: { amount_microusd: 0 } },
    );
  });
});
