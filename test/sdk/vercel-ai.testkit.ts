import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { embedMany, generateText, isStepCount, jsonSchema, Output, streamText, tool, type ModelMessage } from "ai";
import { noFieldForSummaries, person, resultOf, weather, type Ask, type Sdk } from "./session.testkit.ts";

/** The Vercel AI SDK with its provider for OpenAI-compatible servers. */
export const vercelAiSdk: Sdk = {
  name: "vercel ai",
  gaps: {
    count: "the AI SDK has no call that counts tokens",
    "reasoning at openai-responses": noFieldForSummaries,
  },
  errorName: () => "AI_APICallError",
  connect({ url, key, fetch }) {
    const provider = createOpenAICompatible({
      name: "tollgate",
      baseURL: `${url}/v1`,
      apiKey: key,
      fetch,
      includeUsage: true,
      supportsStructuredOutputs: true,
    });
    const settingsOf = (ask: Ask) => ({
      model: provider.chatModel(ask.model),
      messages: [firstTurn(ask)],
      maxRetries: 0,
      ...(ask.reasoning === true ? { providerOptions: { tollgate: { reasoningEffort: "medium" } } } : {}),
    });
    return {
      async ask(ask) {
        const { text, reasoningText, usage } = await generateText(settingsOf(ask));
        const { inputTokens = -1, outputTokens = -1 } = usage;
        return { text, reasoning: reasoningText ?? "", input: inputTokens, output: outputTokens, pieces: 1 };
      },
      async stream(ask) {
        const failures: unknown[] = [];
        const running = streamText({ ...settingsOf(ask), onError: ({ error }) => void failures.push(error) });
        const pieces = await Array.fromAsync(running.textStream).catch(() => []);
        if (failures.length > 0) throw failures[0];
        const { inputTokens = -1, outputTokens = -1 } = await running.usage;
        const reasoning = (await running.reasoningText) ?? "";
        return { text: pieces.join(""), reasoning, input: inputTokens, output: outputTokens, pieces: pieces.length };
      },
      async loop(ask, streamed) {
        const calls: unknown[] = [];
        const get_weather = tool({
          description: weather.description,
          inputSchema: jsonSchema<{ city: string }>(weather.schema),
          execute: (input) => resultOf(calls.push(input) - 1),
        });
        const settings = { ...settingsOf(ask), tools: { get_weather }, stopWhen: isStepCount(3) };
        if (!streamed) return { calls, text: (await generateText(settings)).text };
        const running = streamText(settings);
        await running.consumeStream();
        return { calls, text: await running.text };
      },
      async person(ask) {
        const output = Output.object({ schema: jsonSchema(person) });
        return (await generateText({ ...settingsOf(ask), output })).output;
      },
      async embed(model, values) {
        return (await embedMany({ model: provider.embeddingModel(model), values, maxRetries: 0 })).embeddings;
      },
      async leave(ask) {
        const leaving = new AbortController();
        const running = streamText({ ...settingsOf(ask), abortSignal: leaving.signal, onError: () => {} });
        for await (const piece of running.textStream) if (piece !== "") leaving.abort();
      },
    };
  },
};

function firstTurn({ prompt, image }: Ask): ModelMessage {
  if (image === undefined) return { role: "user", content: prompt };
  const picture = { type: "image" as const, image: Buffer.from(image, "base64"), mediaType: "image/png" };
  return { role: "user", content: [{ type: "text", text: prompt }, picture] };
}
