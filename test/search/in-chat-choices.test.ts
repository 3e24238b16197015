import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { chatCaller, geminiEventsCaller, messagesCaller, responsesCaller } from "../dialects/callers.testkit.ts";
import { post, scripted } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { type callers, modelOf, searchingScript, searchTool, startSearchingGateway } from "./in-chat.testkit.ts";

/** What callers say of their web search beside asking for it: which tool is to be called, and settings that do not fit. */
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startSearchingGateway();
});
beforeEach(() => gateway.sandbox.reset());
afterAll(() => gateway.stop());

const pathsAsked = () => gateway.sandbox.requests.map(({ path }) => (path.includes("/search/") ? "search" : "model"));
const bodiesSent = () => gateway.sandbox.requests.map(({ body }) => JSON.parse(new TextDecoder().decode(body)));

const ask = async (caller: (typeof callers)[number], script: object | string, more: object = {}) => {
  const prompt = typeof script === "string" ? script : scripted(script);
  const response = await post(gateway, caller, modelOf("openai-chat"), prompt, {
    more: { ...searchTool(caller), ...more },
  });
  return { response, text: await response.text() };
};

const parameters = { type: "object" };
const ownFunction = { type: "function", name: "web_search", parameters, strict: false };
const otherFunction = { ...ownFunction, name: "get_weather" };
const search = { type: "web_search" };

describe("a tool choice", () => {
  test("of the caller's own function web_search is a choice of that one", async () => {
    const chat = {
      tools: [{ type: "function", function: { name: "web_search", parameters } }],
      tool_choice: { type: "function", function: { name: "web_search" } },
    };
    const responses = { tools: [search, ownFunction], tool_choice: { type: "function", name: "web_search" } };
    for (const [caller, more] of [[chatCaller, chat] as const, [responsesCaller, responses] as const]) {
      gateway.sandbox.reset();
      // The sandbox calls what it must.
      const { text } = await ask(caller, "Coffee", more);
      expect([caller.name, ...pathsAsked()]).toEqual([caller.name, "model"]);
      expect(text).toContain('"name":"web_search"');
    }
  });

  test.each(["auto", "required"])("of allowed tools may have the search among them (%s)", async (mode) => {
    const more = {
      tools: [search, otherFunction],
      tool_choice: { type: "allowed_tools", mode, tools: [search, { type: "function", name: "get_weather" }] },
    };
    const { response, text } = await ask(responsesCaller, searchingScript("Done."), more);
    expect([response.status, text]).toEqual([200, expect.stringContaining("Done.")]);
    expect(pathsAsked()).toEqual(["model", "search", "model"]);
    const [first] = bodiesSent();
    expect(first.tool_choice.allowed_tools).toEqual({
      mode,
      tools: ["web_search", "get_weather"].map((name) => ({ type: "function", function: { name } })),
    });
  });

  test("of allowed tools does not name the search once no more are allowed", async () => {
    const forced = { type: "allowed_tools", mode: "required" };
    const script = searchingScript("Done.", ["a", "b", "c"]);
    for (const [tools, left] of [
      [[search, { type: "function", name: "get_weather" }], ["get_weather"]],
      [[search], null],
    ] as const) {
      gateway.sandbox.reset();
      const more = { tools: [search, otherFunction], tool_choice: { ...forced, tools } };
      const { response, text } = await ask(responsesCaller, script, more);
      expect([response.status, text]).toEqual([200, expect.stringContaining("Done.")]);
      const last = bodiesSent().at(-1);
      if (left === null) expect(last.tool_choice).toBe("none");
      else expect(last.tool_choice.allowed_tools.tools).toMatchObject(left.map((name) => ({ function: { name } })));
    }
  });
});

describe("settings", () => {
  test.each([
    ["tools[1]", responsesCaller, { tools: [search, { ...search, filters: { allowed_domains: ["example.org"] } }] }],
    ["tools[1]", messagesCaller, { tools: [0, 1].map(() => ({ type: "web_search_20250305", name: "web_search" })) }],
    ["tools[0]", chatCaller, { tools: [search] }],
  ])("of a second search are refused at %s", async (path, caller, more) => {
    const { response, text } = await ask(caller, searchingScript("Done."), more);
    expect([caller.name, response.status, text]).toEqual([caller.name, 400, expect.stringContaining(path)]);
    expect(gateway.sandbox.requests).toHaveLength(0);
  });

  test.each([
    ["tools[0].user_location.city", messagesCaller, { user_location: { type: "approximate", city: "Rome" } }],
    [
      "web_search_options.user_location.approximate.region",
      chatCaller,
      { user_location: { type: "approximate", approximate: { country: "IT", region: "Lazio" } } },
    ],
    ["tools[0].filters.newer_than", responsesCaller, { filters: { newer_than: "2020" } }],
    ["tools[0].blocked_domains", responsesCaller, { filters: {}, blocked_domains: ["example.org"] }],
    ["tools[0].googleSearch.timeRangeFilter", geminiEventsCaller, { timeRangeFilter: { startTime: "2020" } }],
  ])("that nobody reads are named: %s", async (path, caller, settings) => {
    const { response } = await ask(caller, { text: "Done." }, searchTool(caller, settings));
    expect([response.status, response.headers.get("x-service-warnings")]).toEqual([200, expect.stringContaining(path)]);
  });
});

test("a chat request without the search passes through as to any other model", async () => {
  // A provider may have formats of its own.
  const body = chatCaller.body(modelOf("openai-chat"), "Hi", { more: { response_format: { type: "grammar" } } });
  await gateway.chat({ ...body, tools: [{ type: "function", function: { name: "web_search", parameters } }] });
  expect(bodiesSent()).toMatchObject([{ response_format: { type: "grammar" }, tools: [{}] }]);
});
