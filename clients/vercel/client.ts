import { generateText, isStepCount, jsonSchema, type LanguageModel, streamText, tool } from "ai";
import type { Client } from "../client.ts";
import { importSettings, type Library, libraryCases, ownPackage, weatherTool } from "../library.ts";

/** The AI SDK with one of its provider packages, which is the label of a block of the page that exports `model`. */
function withProvider(name: string): Library {
  const modelOf = async (...[cell]: Parameters<Library["ask"]>) =>
    (await importSettings<{ readonly model: LanguageModel }>(cell, "Vercel AI SDK", name)).model;
  return {
    async ask(cell, prompt, streamed) {
      const settings = {
        model: await modelOf(cell, prompt, streamed),
        prompt,
        maxRetries: 0,
        abortSignal: cell.signal,
      };
      if (!streamed) {
        const { text, usage } = await generateText(settings);
        return { text, inputTokens: usage.inputTokens, outputTokens: usage.outputTokens, pieces: 1 };
      }
      const errors: unknown[] = [];
      const running = streamText({ ...settings, onError: ({ error }) => void errors.push(error) });
      const pieces = await Array.fromAsync(running.textStream);
      if (errors.length > 0) throw errors[0];
      const { inputTokens, outputTokens } = await running.usage;
      return { text: pieces.join(""), inputTokens, outputTokens, pieces: pieces.length };
    },
    async runTools(cell, prompt, streamed, tellWeather) {
      const { description, schema } = weatherTool;
      const get_weather = tool({ description, inputSchema: jsonSchema<object>(schema), execute: tellWeather });
      const settings = {
        model: await modelOf(cell, prompt, streamed),
        prompt,
        maxRetries: 0,
        abortSignal: cell.signal,
        tools: { get_weather },
        stopWhen: isStepCount(3),
      };
      if (!streamed) return (await generateText(settings)).text;
      const errors: unknown[] = [];
      const running = streamText({ ...settings, onError: ({ error }) => void errors.push(error) });
      await running.consumeStream();
      if (errors.length > 0) throw errors[0];
      return running.text;
    },
  };
}

// Of models that it does not know, among others.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false });

const providers = ["@ai-sdk/openai-compatible", "@ai-sdk/openai", "@ai-sdk/anthropic", "@ai-sdk/google"];

/** The Vercel AI SDK, through each of its four providers. */
export const client: Client = {
  name: "vercel",
  title: "Vercel AI SDK",
  install: () => ownPackage("ai"),
  cases: providers.flatMap((provider) => libraryCases(withProvider(provider), `${provider}: `)),
};
