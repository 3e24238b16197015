import assert from "node:assert/strict";
import { dialects, modelOf } from "../../../test/dialects/gateway.testkit.ts";
import type { Cell, Client } from "../../client.ts";
import { installEnvironment, openWebUi } from "../environment.ts";
import { chatInPage, requestsOfItsOwn } from "./chat.ts";
import { type WebUi, withWebUi } from "./server.ts";

/** A tool of the workspace, which the server runs itself. */
const weatherTool = `
class Tools:
    def get_weather(self, city: str) -> str:
        """
        Tells the weather.
        :param city: The city.
        """
        return f"20 degrees in {city}"
`;

interface Completion {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number };
}

interface Chunk {
  readonly choices: readonly { readonly delta: { readonly content?: string } }[];
}

async function answers(cell: Cell, webUi: WebUi): Promise<void> {
  const { data } = await webUi.get<{ readonly data: readonly { readonly id: string }[] }>("/api/models");
  assert.deepEqual(data.map(({ id }) => id).toSorted(), dialects.map(modelOf).toSorted());

  const text = "All is well today, and it will be well tomorrow.";
  const messages = [{ role: "user", content: cell.prompt("How is it?", { text }) }];
  const whole = await webUi.post<Completion>("/api/chat/completions", { model: cell.model, messages });
  assert.equal(whole.choices[0]?.message.content, text);
  assert.deepEqual([whole.usage.prompt_tokens, whole.usage.completion_tokens], [100, 30]);

  const response = await webUi.send("/api/chat/completions", { model: cell.model, messages, stream: true });
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("data: "));
  assert.equal(lines.pop(), "data: [DONE]");
  const chunks = lines.map((line) => JSON.parse(line.slice("data: ".length)) as Chunk);
  const pieces = chunks.map(({ choices }) => choices[0]?.delta.content ?? "").filter((piece) => piece !== "");
  assert.equal(pieces.join(""), text);
  assert.ok(pieces.length > 1, "it came as one piece");
  await cell.expectCharges(2);
}

async function chats(cell: Cell, webUi: WebUi): Promise<void> {
  await webUi.get("/api/models");
  const tool = { id: "weather", name: "Weather", content: weatherTool, meta: { description: "Tells the weather." } };
  await webUi.post("/api/v1/tools/create", tool);
  const calls = ["Paris", "Rome"].map((city) => ({ name: "get_weather", arguments: { city } }));
  const script = { turns: [{ reasoning: "Two cities are named.", tool_calls: calls }] };
  const { answer } = await chatInPage(cell, webUi, cell.prompt("What is the weather?", script), [tool.id]);
  assert.match(answer.content, /20 degrees in Paris.*20 degrees in Rome/);
  assert.deepEqual(
    answer.output?.map(({ type }) => type).filter((type) => type.startsWith("function")),
    ["function_call", "function_call", "function_call_output", "function_call_output"],
  );
  await cell.expectCharges(2 + requestsOfItsOwn);

  // The requests for a title, for tags and for what could be asked next quote the prompt, and follow the same script.
  const prompt = cell.prompt("How is it?", { text: '{"title": "Well", "tags": ["Life"], "follow_ups": ["And now?"]}' });
  const { title, answer: titled } = await chatInPage(cell, webUi, prompt, []);
  assert.deepEqual([title, titled.followUps], ["Well", ["And now?"]]);
  await cell.expectCharges(3 + 2 * requestsOfItsOwn);
}

/** What the page shows of a connection that is entered and tried there. */
async function wrongKey(cell: Cell, webUi: WebUi): Promise<void> {
  const connection = { url: `${cell.url}/v1`, key: "sk-tg-your-key", config: {} };
  const refused = await webUi.send("/openai/verify", connection);
  assert.match(await refused.text(), /Malformed API key/);
  const { data } = await webUi.post<{ readonly data: readonly object[] }>("/openai/verify", {
    ...connection,
    key: cell.key,
  });
  assert.equal(data.length, dialects.length);
}

/** The server with a page for chats, at `/v1/models` and `/v1/chat/completions`. */
export const client: Client = {
  name: "open-webui",
  title: "Open WebUI",
  install: (folder) => installEnvironment(openWebUi, "open-webui", folder),
  cases: [
    ["list of models, plain and streamed answer", answers] as const,
    ["chats of its page: tools, title, tags, follow-ups", chats] as const,
    ["wrong key", wrongKey] as const,
  ].map(([name, run]) => ({
    name,
    limitMs: 240_000,
    run: async (cell) => withWebUi(cell, await cell.settings("Open WebUI", "sh"), (webUi) => run(cell, webUi)),
  })),
};
