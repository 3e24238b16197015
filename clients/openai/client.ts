import type OpenAI from "openai";
import type { Cell, Client } from "../client.ts";
import { importSettings, type Library, libraryCases, ownPackage, weatherTool } from "../library.ts";

const connect = async (cell: Cell) =>
  (await importSettings<{ readonly client: OpenAI }>(cell, "OpenAI SDK", "ts")).client;

const chat: Library = {
  async ask(cell, prompt, streamed) {
    const openai = await connect(cell);
    const request = { model: cell.model, messages: [{ role: "user" as const, content: prompt }] };
    if (!streamed) {
      const { choices, usage } = await openai.chat.completions.create(request, { signal: cell.signal });
      return { text: choices[0]?.message.content ?? "", ...counts(usage), pieces: 1 };
    }
    const running = openai.chat.completions.stream(
      { ...request, stream_options: { include_usage: true } },
      { signal: cell.signal },
    );
    let pieces = 0;
    running.on("content", () => void pieces++);
    const { choices, usage } = await running.finalChatCompletion();
    return { text: choices[0]?.message.content ?? "", ...counts(usage), pieces };
  },
  async runTools(cell, prompt, streamed, tellWeather) {
    const openai = await connect(cell);
    const { name, description, schema } = weatherTool;
    const definition = {
      name,
      description,
      parameters: schema,
      function: tellWeather,
      parse: (text: string) => JSON.parse(text) as object,
    };
    const request = {
      model: cell.model,
      messages: [{ role: "user" as const, content: prompt }],
      tools: [{ type: "function" as const, function: definition }],
    };
    const runner = streamed
      ? openai.chat.completions.runTools({ ...request, stream: true }, { signal: cell.signal })
      : openai.chat.completions.runTools(request, { signal: cell.signal });
    return (await runner.finalContent()) ?? "";
  },
};

function counts(usage: OpenAI.CompletionUsage | null | undefined) {
  return { inputTokens: usage?.prompt_tokens ?? -1, outputTokens: usage?.completion_tokens };
}

/** OpenAI's SDK for JavaScript, with its tool runner. */
export const client: Client = {
  name: "openai",
  title: "OpenAI SDK",
  install: () => ownPackage("openai"),
  cases: libraryCases(chat),
};
