import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, isStepCount } from "ai";
import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The examples of docs/search.md. */

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  process.env["TOLLGATE_URL"] = gateway.url;
  process.env["TOLLGATE_API_KEY"] = gateway.key;
});
afterAll(() => gateway.stop());

/** Imported once the environment is set. */
const examples = async () => ({
  ...(await import("../../examples/search-over-http.ts")),
  ...(await import("../../examples/search-tool.ts")),
});

test("a plain HTTP client searches", async () => {
  const { search } = await examples();
  const { results } = await search("coffee brewing");
  expect(results[0]?.url).toBe("https://www.example.com/coffee/brewing");
  process.env["TOLLGATE_API_KEY"] = "sk-wrong";
  await search("coffee").then(
    () => expect.unreachable(),
    (error: unknown) => expect(String(error)).toContain("401"),
  );
  process.env["TOLLGATE_API_KEY"] = gateway.key;
});

test("a model of the Vercel AI SDK searches by itself", async () => {
  const { searchTool } = await examples();
  const provider = createOpenAICompatible({ name: "tollgate", baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
  const model = "sandbox-chat";
  gateway.sandbox.setModel(model, {
    turns: [{ tool_calls: [{ name: "search", arguments: { query: "coffee brewing" } }] }, { text: "Grind the beans." }],
  });
  const { text, steps } = await generateText({
    model: provider.chatModel(model),
    prompt: "How do I brew coffee?",
    tools: { search: searchTool },
    stopWhen: isStepCount(3),
  });
  expect(text).toBe("Grind the beans.");
  const [result] = steps.flatMap(({ toolResults }) => toolResults);
  expect(JSON.stringify(result?.output)).toContain("https://www.example.com/coffee/brewing");
});
