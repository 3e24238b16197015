import type Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import type { Cell, Client } from "../client.ts";
import { importSettings, type Library, libraryCases, ownPackage, weatherTool } from "../library.ts";

const connect = async (cell: Cell) =>
  (await importSettings<{ readonly client: Anthropic }>(cell, "Anthropic SDK", "ts")).client;

const requestOf = (cell: Cell, prompt: string) => ({
  model: cell.model,
  max_tokens: 4_000,
  messages: [{ role: "user" as const, content: prompt }],
});

const messages: Library = {
  async ask(cell, prompt, streamed) {
    const anthropic = await connect(cell);
    const request = requestOf(cell, prompt);
    if (!streamed) return { ...said(await anthropic.messages.create(request, { signal: cell.signal })), pieces: 1 };
    const running = anthropic.messages.stream(request, { signal: cell.signal });
    let pieces = 0;
    running.on("text", () => void pieces++);
    return { ...said(await running.finalMessage()), pieces };
  },
  async runTools(cell, prompt, streamed, tellWeather) {
    const anthropic = await connect(cell);
    const { name, description, schema } = weatherTool;
    const runner = anthropic.beta.messages.toolRunner(
      {
        ...requestOf(cell, prompt),
        thinking: { type: "enabled", budget_tokens: 1_024 },
        tools: [betaTool({ name, description, inputSchema: schema, run: tellWeather })],
        stream: streamed,
      },
      { signal: cell.signal },
    );
    return textOf((await runner).content);
  },
  // The tool runner begins with a thread, and goes on without one if that is refused.
  refusedInLoop: ({ dialect }) => (dialect === "anthropic-messages" ? 0 : 1),
};

function said({ content, usage }: Anthropic.Message) {
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage;
  const inputTokens = input_tokens + (cache_read_input_tokens ?? 0) + (cache_creation_input_tokens ?? 0);
  return { text: textOf(content), inputTokens, outputTokens: output_tokens };
}

function textOf(content: readonly { readonly type: string }[]): string {
  return content.map((block) => ("text" in block ? block.text : "")).join("");
}

/** Anthropic's SDK for JavaScript, with its tool runner. */
export const client: Client = {
  name: "anthropic",
  title: "Anthropic SDK",
  install: () => ownPackage("@anthropic-ai/sdk"),
  cases: libraryCases(messages),
};
