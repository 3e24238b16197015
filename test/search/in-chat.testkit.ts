import { type JsonObject, isObject, listOrEmpty } from "../../src/json/values.ts";
import { type Caller, callers } from "../dialects/callers.testkit.ts";
import { dialects, modelOf, upstreamModels } from "../dialects/gateway.testkit.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../gateway.testkit.ts";

/** Micro-USD of a token, and of a search of the backend `main`. */
export const prices = { input: 1, output: 2, search: 8_000 };

/** Most searches of one answer. */
export const maxRounds = 3;

/** A gateway whose models leave the web search to it: one provider of each dialect, and two backends. */
export function startSearchingGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  return startTestGateway({
    providers: (url) =>
      dialects.map((dialect) => {
        const baseUrl = dialect.startsWith("openai") ? url : url.replace(/\/v1$/, "");
        return { id: dialect, dialects: [dialect], baseUrl };
      }),
    backends: (url) => [backendAt(url, "main"), { ...backendAt(url, "spare"), priority: 2 }],
    models: dialects.flatMap((dialect) =>
      [modelOf(dialect), geminiNameOf(dialect)].map((id) => ({
        id,
        targets: [{ provider: dialect, model: upstreamModels[dialect] }],
        parameters: {},
        prices: { input: prices.input * 1_000_000, output: prices.output * 1_000_000 },
        contextLength: 50_000,
        maxOutputTokens: 200,
        webSearch: { backend: "auto", maxRounds },
      })),
    ),
    sandbox: { models: Object.fromEntries(Object.values(upstreamModels).map((model) => [model, {}])) },
    ...options,
  });
}

/** The same model by a name for which Google's SDKs know that it can search. */
export function geminiNameOf(dialect: (typeof dialects)[number]): string {
  return `gemini-3-${modelOf(dialect)}`;
}

function backendAt(url: string, id: string) {
  const base = url.replace(/\/v1$/, "");
  return {
    id,
    provider: "tavily",
    baseUrl: `${base}/search/tavily@${id}`,
    apiKeys: ["k"],
    prices: { web_search: prices.search },
  };
}

/** The caller's own web search tool, with settings in the words of the dialect. */
export function searchTool(caller: Caller, settings: JsonObject = {}): JsonObject {
  switch (caller.name) {
    case "chat":
      return { web_search_options: settings };
    case "responses":
      return { tools: [{ type: "web_search", ...settings }] };
    case "messages":
      return { tools: [{ type: "web_search_20250305", name: "web_search", ...settings }] };
    default:
      return { tools: [{ googleSearch: settings }] };
  }
}

/** A model that searches, one turn after the other, and then answers. */
export function searchingScript(answer: string, queries: readonly string[] = ["coffee"], more: JsonObject = {}) {
  return {
    turns: [
      ...queries.map((query) => ({ tool_calls: [{ name: "web_search", arguments: { query } }], ...more })),
      { text: answer, ...more },
    ],
  };
}

/** What an answer tells of its searches, whatever its dialect. */
export interface Searches {
  /** In the dialect's own words: `chat` tells of none. */
  readonly queries: readonly string[];
  readonly cited: readonly string[];
}

const objects = (value: unknown) => listOrEmpty(value).filter(isObject);
const texts = (values: readonly unknown[]) => values.map(String);

export function searchesOf(caller: Caller, answer: unknown): Searches {
  const body = isObject(answer) ? answer : {};
  switch (caller.name) {
    case "chat": {
      const message = objects(body.choices)[0]?.message;
      const annotations = objects(isObject(message) ? message.annotations : null);
      const urls = annotations.flatMap(({ url_citation: cited }) => (isObject(cited) ? [cited.url] : []));
      return { queries: [], cited: texts(urls) };
    }
    case "responses": {
      const items = objects(body.output);
      const calls = items.filter(({ type }) => type === "web_search_call");
      const contents = items.flatMap(({ content }) => objects(content));
      return {
        queries: texts(calls.flatMap(({ action }) => (isObject(action) ? [action.query] : []))),
        cited: texts(contents.flatMap(({ annotations }) => objects(annotations)).map(({ url }) => url)),
      };
    }
    case "messages": {
      const blocks = objects(body.content);
      const calls = blocks.filter(({ type }) => type === "server_tool_use");
      return {
        queries: texts(calls.flatMap(({ input }) => (isObject(input) ? [input.query] : []))),
        cited: texts(blocks.flatMap(({ citations }) => objects(citations)).map(({ url }) => url)),
      };
    }
    default: {
      const grounding = objects(body.candidates)[0]?.groundingMetadata;
      if (!isObject(grounding)) return { queries: [], cited: [] };
      const chunks = objects(grounding.groundingChunks).flatMap(({ web }) => (isObject(web) ? [web.uri] : []));
      return { queries: texts(listOrEmpty(grounding.webSearchQueries)), cited: texts(chunks) };
    }
  }
}

export { callers, dialects, modelOf };
