import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { chatCaller, geminiEventsCaller, messagesCaller, responsesCaller } from "../dialects/callers.testkit.ts";
import { post, requestIdOf, scripted } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
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

/** Conversations whose web search the gateway runs. */
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startSearchingGateway();
});
beforeEach(() => gateway.sandbox.reset());
afterAll(() => gateway.stop());

const brewing = "https://www.example.com/coffee/brewing";
const roasting = "https://www.example.com/coffee/roasting";
const answer = `Brew it slowly [1]. More at ${roasting}.`;

/** The requests that the sandbox was sent, by path. */
const pathsAsked = () => gateway.sandbox.requests.map(({ path }) => (path.includes("/search/") ? "search" : "model"));

const pairs = callers.flatMap((caller) => dialects.map((dialect) => ({ caller, dialect, name: caller.name })));

describe.each(pairs)("$name, of $dialect", ({ caller, dialect }) => {
  const model = modelOf(dialect);
  const tokens = { input: 40, output: 10 };
  const prompt = scripted(searchingScript(answer, ["coffee"], { tokens }));

  test("is answered in two rounds, with the search and its citations", async () => {
    const response = await post(gateway, caller, model, prompt, { more: searchTool(caller) });
    const body: unknown = await response.json();
    expect([response.status, body]).toEqual([200, expect.anything()]);
    expect(caller.textOf(body)).toBe(answer);
    expect(searchesOf(caller, body)).toEqual({
      queries: caller.name === "chat" ? [] : ["coffee"],
      cited: [brewing, roasting],
    });
    expect(pathsAsked()).toEqual(["model", "search", "model"]);
    const record = await gateway.record(requestIdOf(response));
    expect(record).toMatchObject({
      status: "succeeded",
      model,
      usage: { prompt_tokens: 80, completion_tokens: 20, measurement: { input: "provider", output: "provider" } },
      routing: { attempts: 2, chose_provider: dialect },
      route_receipt: { searches: [{ status: "succeeded", selected_backend: "main", web_search_billable_units: 1 }] },
    });
    expect(record.billing).toMatchObject({ amount_microusd: 80 + 20 * prices.output + prices.search });
    expect(record.billing.line_items.map(({ dimension, amount_microusd: amount }) => [dimension, amount])).toEqual([
      ["input", 80],
      ["output", 40],
      ["web_search", prices.search],
    ]);
  });

  test("is streamed as one answer", async () => {
    const response = await post(gateway, caller, model, prompt, { stream: true, more: searchTool(caller) });
    const stream = await response.text();
    expect(response.status).toBe(200);
    const { text, calls } = caller.hear(stream);
    expect({ text, calls }).toEqual({ text: answer, calls: [] });
    expect(stream).toContain(brewing);
    expect(pathsAsked()).toEqual(["model", "search", "model"]);
    expect(await gateway.record(requestIdOf(response))).toMatchObject({
      status: "succeeded",
      stream: true,
      usage: { prompt_tokens: 80, completion_tokens: 20 },
      billing: { amount_microusd: 80 + 20 * prices.output + prices.search },
    });
  });

  test("goes on without a search as any other", async () => {
    const response = await post(gateway, caller, model, scripted({ text: "No need [1]." }), {
      more: searchTool(caller),
    });
    const body: unknown = await response.json();
    expect(caller.textOf(body)).toBe("No need [1].");
    expect(searchesOf(caller, body)).toEqual({ queries: [], cited: [] });
    const record = await gateway.record(requestIdOf(response));
    expect(record.route_receipt).toBeUndefined();
    expect(pathsAsked()).toEqual(["model"]);
  });
});

const ask = async (caller: (typeof callers)[number], script: object, more: object = {}, stream = false) => {
  const response = await post(gateway, caller, modelOf("openai-chat"), scripted(script), {
    stream,
    more: { ...searchTool(caller), ...more },
  });
  const text = await response.text();
  return { response, text, record: () => gateway.record(requestIdOf(response)) };
};
const search = (query: string) => ({ name: "web_search", arguments: { query } });

describe("the model", () => {
  test("is offered a function in place of the vendor's tool, and told the results", async () => {
    await ask(chatCaller, searchingScript("Done."));
    const [first, , second] = gateway.sandbox.requests.map(({ body }) => JSON.parse(new TextDecoder().decode(body)));
    expect(first).not.toHaveProperty("web_search_options");
    expect(first.tools).toMatchObject([{ function: { name: "web_search", parameters: { required: ["query"] } } }]);
    expect(second.messages.at(-2)).toMatchObject({
      role: "assistant",
      tool_calls: [{ function: { name: "web_search" } }],
    });
    expect(second.messages.at(-1)).toMatchObject({
      role: "tool",
      content: expect.stringContaining(`[1] Brewing coffee`),
    });
  });

  test("that searches twice at once is given both results", async () => {
    const script = { turns: [{ tool_calls: [search("coffee"), search("harvest")] }, { text: "Both [1] [4]." }] };
    const { text, record } = await ask(messagesCaller, script);
    expect(searchesOf(messagesCaller, JSON.parse(text)).queries).toEqual(["coffee", "harvest"]);
    expect((await record()).billing.line_items.map(({ dimension }) => dimension)).toEqual([
      "input",
      "output",
      "web_search",
      "web_search",
    ]);
  });

  test.each([false, true])("that never stops searching is stopped (stream: %p)", async (stream) => {
    const script = { tool_calls: [search("coffee")] };
    const { response, record } = await ask(chatCaller, { turns: Array.from({ length: 20 }, () => script) }, {}, stream);
    expect(response.status).toBe(200);
    expect(pathsAsked().filter((path) => path === "search")).toHaveLength(3);
    expect(pathsAsked().filter((path) => path === "model")).toHaveLength(4);
    expect(await record()).toMatchObject({ status: "succeeded" });
  });

  test("is let search as often as the caller's tool says, and no more often than its settings", async () => {
    const turns = Array.from({ length: 20 }, () => ({ tool_calls: [search("coffee")] }));
    await ask(messagesCaller, { turns }, searchTool(messagesCaller, { max_uses: 2 }));
    expect(pathsAsked().filter((path) => path === "search")).toHaveLength(2);
    gateway.sandbox.reset();
    await ask(messagesCaller, { turns }, searchTool(messagesCaller, { max_uses: 50 }));
    expect(pathsAsked().filter((path) => path === "search")).toHaveLength(3);
  });

  test.each([["{}"], ['{"query": ""}'], ["no JSON"], ['{"query": 7}']])(
    "with the arguments %s is told so",
    async (input) => {
      const script = { turns: [{ tool_calls: [{ name: "web_search", arguments: input }] }, { text: "Without." }] };
      const { response, text, record } = await ask(messagesCaller, script);
      expect([response.status, messagesCaller.textOf(JSON.parse(text))]).toEqual([200, "Without."]);
      expect(text).toContain("invalid_tool_input");
      expect(pathsAsked()).toEqual(["model", "model"]);
      expect((await record()).usage.dimensions.map(({ name }) => name)).toEqual(["input", "output"]);
    },
  );

  test.each([false, true])("that calls a tool of the caller's too ends the loop (stream: %p)", async (stream) => {
    const own = { name: "get_weather", arguments: { city: "Rome" } };
    const script = { turns: [{ tool_calls: [search("coffee"), own] }, { text: "Never." }] };
    const tools = [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }];
    const { text } = await ask(chatCaller, script, { tools }, stream);
    if (stream) expect(chatCaller.hear(text)).toMatchObject({ calls: [{ name: "get_weather" }], finish: "tool_calls" });
    else {
      expect(JSON.parse(text).choices[0]).toMatchObject({
        finish_reason: "tool_calls",
        message: { tool_calls: [{ function: { name: "get_weather" } }] },
      });
      expect(JSON.parse(text).choices[0].message.tool_calls).toHaveLength(1);
    }
    expect(pathsAsked()).toEqual(["model"]);
  });

  test("may write before it searches: in one text these are paragraphs", async () => {
    const script = { turns: [{ text: "Let me look.", tool_calls: [search("coffee")] }, { text: "It is slow [1]." }] };
    const { text } = await ask(chatCaller, script);
    const { message } = JSON.parse(text).choices[0];
    expect(message.content).toBe("Let me look.\n\nIt is slow [1].");
    const { start_index: start, end_index: end } = message.annotations[0].url_citation;
    expect(message.content.slice(start, end)).toBe("[1]");
    const streamed = await ask(chatCaller, script, {}, true);
    expect(chatCaller.hear(streamed.text).text).toBe(message.content);
  });
});

describe("a later turn", () => {
  test("may have the searches of an earlier answer in it, with and without the tool", async () => {
    const first = await ask(messagesCaller, searchingScript(answer));
    const { content } = JSON.parse(first.text);
    for (const more of [searchTool(messagesCaller), {}]) {
      const messages = [
        { role: "user", content: "Hi" },
        { role: "assistant", content },
        { role: "user", content: "Thanks" },
      ];
      for (const dialect of dialects) {
        const response = await post(gateway, messagesCaller, modelOf(dialect), "", { more: { ...more, messages } });
        expect([dialect, response.status, await response.text()]).toEqual([dialect, 200, expect.any(String)]);
      }
    }
  });

  test("may continue a stored response", async () => {
    const first = await ask(responsesCaller, searchingScript(answer));
    const { id } = JSON.parse(first.text);
    for (const dialect of dialects) {
      const more = { ...searchTool(responsesCaller), previous_response_id: id };
      const response = await post(gateway, responsesCaller, modelOf(dialect), "Thanks", { more });
      expect([dialect, response.status, await response.text()]).toEqual([dialect, 200, expect.any(String)]);
    }
  });
});

describe("the rules", () => {
  test("of the caller's tool and of its key are those of the search", async () => {
    const settings = {
      allowed_domains: ["example.com", "example.net"],
      user_location: { type: "approximate", country: "DE" },
    };
    const { id, key } = await gateway.newKey({ scopes: { domains: ["www.example.com"] } });
    expect(id).toBeString();
    const response = await gateway.fetch("/v1/messages", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(
        messagesCaller.body(modelOf("openai-chat"), scripted(searchingScript("Done.")), {
          more: searchTool(messagesCaller, settings),
        }),
      ),
    });
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain(brewing);
    expect(text).not.toContain("example.net");
    const sent = gateway.sandbox.requests.find(({ path }) => path.includes("/search/"));
    expect(JSON.parse(new TextDecoder().decode(sent?.body))).toMatchObject({
      include_domains: ["www.example.com"],
      country: "germany",
    });
  });

  test("that leave no domain are a 403, before any provider is asked", async () => {
    const { key } = await gateway.newKey({ scopes: { domains: ["docs.example.org"] } });
    const response = await gateway.fetch("/v1/messages", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(
        messagesCaller.body(modelOf("openai-chat"), "Hi", {
          more: searchTool(messagesCaller, { allowed_domains: ["example.com"] }),
        }),
      ),
    });
    expect([response.status, await response.text()]).toEqual([403, expect.stringContaining("allowed_domains")]);
    expect(gateway.sandbox.requests).toHaveLength(0);
  });

  test.each([
    ["tools[0].max_uses", { max_uses: 0 }, messagesCaller],
    ["tools[0].allowed_domains[0]", { allowed_domains: ["https://example.com/"] }, messagesCaller],
    ["tools[0].filters.allowed_domains", { filters: { allowed_domains: "example.com" } }, responsesCaller],
    ["tools[0].search_context_size", { search_context_size: "huge" }, responsesCaller],
  ])("of the tool that are wrong are a 400 that names %s", async (field, settings, caller) => {
    const { response, text } = await ask(caller, {}, searchTool(caller, settings));
    expect([response.status, text]).toEqual([400, expect.stringContaining(field)]);
  });

  test("of a key that may not search leave the tool out", async () => {
    const { key } = await gateway.newKey({ scopes: { endpoints: ["messages"] } });
    const own = { name: "get_weather", input_schema: { type: "object" } };
    const [tool] = searchTool(messagesCaller).tools as object[];
    const response = await gateway.fetch("/v1/messages", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(
        messagesCaller.body(modelOf("openai-chat"), scripted(searchingScript("Done.")), {
          more: { tools: [tool, own] },
        }),
      ),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-service-warnings")).toStartWith("tools[0]");
    expect(pathsAsked()).not.toContain("search");
  });

  test("settings that nobody reads are named", async () => {
    const { response } = await ask(messagesCaller, {}, searchTool(messagesCaller, { freshness: "day" }));
    expect(response.headers.get("x-service-warnings")).toContain("tools[0].freshness");
  });
});

describe("a request", () => {
  test("for several answers is refused", async () => {
    const { response, text } = await ask(chatCaller, {}, { n: 2 });
    expect([response.status, JSON.parse(text)]).toMatchObject([400, { error: { param: "n" } }]);
  });

  test("keeps its other tools, also those in the same entry", async () => {
    const declaration = { name: "get_weather", parametersJsonSchema: { type: "object" } };
    const tools = [{ googleSearch: {}, functionDeclarations: [declaration] }];
    const { response } = await ask(geminiEventsCaller, { text: "Fine." }, { tools });
    expect(response.status).toBe(200);
    const [sent] = gateway.sandbox.requests.map(({ body }) => JSON.parse(new TextDecoder().decode(body)));
    expect(sent.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual([
      "get_weather",
      "web_search",
    ]);
  });

  test("may have a function of the same name", async () => {
    const tools = [
      ...(searchTool(responsesCaller).tools as object[]),
      { type: "function", name: "web_search", parameters: { type: "object" }, strict: false },
    ];
    const calls = { tool_calls: [{ name: "web_search_2", arguments: { query: "coffee" } }] };
    const own = { tool_calls: [{ name: "web_search", arguments: {} }] };
    const { text } = await ask(responsesCaller, { turns: [calls, own] }, { tools });
    expect(JSON.parse(text).output).toMatchObject([
      { type: "web_search_call", status: "completed" },
      { type: "function_call", name: "web_search" },
    ]);
  });

  test("that demands the search by its tool choice is let answer afterwards", async () => {
    const choices = [
      [messagesCaller, { tool_choice: { type: "tool", name: "web_search" } }],
      [responsesCaller, { tool_choice: { type: "web_search" } }],
      [chatCaller, { tool_choice: "required" }],
    ] as const;
    for (const [caller, choice] of choices) {
      gateway.sandbox.reset();
      // The sandbox calls what it must, and answers with a text if it may.
      const response = await post(gateway, caller, modelOf("openai-chat"), "Coffee", {
        more: { ...searchTool(caller), ...choice },
      });
      expect([caller.name, response.status, await response.text()]).toEqual([caller.name, 200, expect.any(String)]);
      expect([caller.name, ...pathsAsked()]).toEqual([caller.name, "model", "search", "model"]);
    }
  });

  test("to a model without the setting is as before", async () => {
    const own = await startSearchingGateway({
      models: [{ id: "m", targets: [{ provider: "openai-chat", model: "deepseek-reasoner" }], parameters: {} }],
    });
    try {
      const response = await post(own, messagesCaller, "m", "Hi", { more: searchTool(messagesCaller) });
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining("web_search_20250305")]);
    } finally {
      await own.stop();
    }
  });
});

test("the providers of searches are hidden where those of models are", async () => {
  const own = await startSearchingGateway({ server: { hideProvider: true } });
  try {
    const script = scripted(searchingScript(answer));
    const response = await post(own, chatCaller, modelOf("openai-chat"), script, { more: searchTool(chatCaller) });
    const record = await own.record(requestIdOf(response));
    expect(record.route_receipt).toMatchObject({ searches: [{ selected_backend: "main", chose_provider: null }] });
    expect(JSON.stringify(record)).not.toContain("tavily");
  } finally {
    await own.stop();
  }
});

test("the record keeps nothing of what was searched for", async () => {
  const { response, record } = await ask(chatCaller, searchingScript("Done.", ["coffee of my secret"]));
  expect(response.status).toBe(200);
  expect(JSON.stringify(await record())).not.toContain("secret");
});

test("a search whose answer is kept is made once, and free the second time, unless its caller wants a new one", async () => {
  const own = await startSearchingGateway({
    searchCache: { ttlMs: 60_000, maxBytes: 1 << 20 },
    backends: (url) => [
      {
        id: "main",
        provider: "tavily",
        baseUrl: `${url.replace(/\/v1$/, "")}/search/tavily`,
        apiKeys: ["k"],
        prices: { web_search: prices.search },
        cache: true,
      },
    ],
  });
  try {
    const amounts: number[] = [];
    const script = scripted(searchingScript(answer, ["coffee"], { tokens: { input: 40, output: 10 } }));
    const body = chatCaller.body(modelOf("openai-chat"), script, { more: searchTool(chatCaller) });
    for (const [cache, control] of [
      [null, "no-store"],
      ["miss", ""],
      ["hit", ""],
      ["miss", "no-cache"],
    ] as const) {
      const response = await own.chat(body, {
        headers: { "content-type": "application/json", "cache-control": control },
      });
      expect(searchesOf(chatCaller, await response.json()).cited).toEqual([brewing, roasting]);
      const record = await own.record(requestIdOf(response));
      expect(record.route_receipt).toMatchObject({
        searches: [{ cache, selected_backend: "main", status: "succeeded" }],
      });
      amounts.push(record.billing.amount_microusd);
    }
    expect(amounts).toEqual([120 + prices.search, 120 + prices.search, 120, 120 + prices.search]);
    expect(own.sandbox.requests.filter(({ path }) => path.includes("/search/"))).toHaveLength(3);
  } finally {
    await own.stop();
  }
});
