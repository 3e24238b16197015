import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { anyAnswer, searchingAnswer } from "../../src/conversation/arbitraries.testkit.ts";
import { eventsOf } from "../../src/conversation/events-of.ts";
import type { ConversationResponse } from "../../src/conversation/response.ts";
import { codecs } from "../../src/dialects/codecs.testkit.ts";
import type { AnswerContext } from "../../src/dialects/codec.ts";
type DialectName = keyof typeof codecs;

/** Every answer that the gateway writes passes the validators of the Vercel AI SDK's providers, whole and streamed. */

/** As much of a provider's model as is used here. */
interface SdkModel {
  doGenerate(options: { prompt: typeof prompt }): PromiseLike<{ content: readonly unknown[] }>;
  doStream(options: { prompt: typeof prompt }): PromiseLike<{ stream: ReadableStream<StreamPart> }>;
}

interface StreamPart {
  readonly type: string;
  readonly error?: unknown;
}

interface SdkProvider {
  readonly name: string;
  readonly dialect: DialectName;
  readonly model: (options: { baseURL: string; apiKey: string; fetch: typeof fetch }) => SdkModel;
}

const providers: readonly SdkProvider[] = [
  {
    name: "@ai-sdk/openai-compatible",
    dialect: "openai-chat",
    model: (options) => createOpenAICompatible({ name: "tollgate", includeUsage: true, ...options }).chatModel("m"),
  },
  { name: "@ai-sdk/openai, chat", dialect: "openai-chat", model: (options) => createOpenAI(options).chat("m") },
  {
    name: "@ai-sdk/openai, responses",
    dialect: "openai-responses",
    model: (options) => createOpenAI(options).responses("m"),
  },
  {
    name: "@ai-sdk/anthropic",
    dialect: "anthropic-messages",
    model: (options) => createAnthropic(options).languageModel("claude-sonnet-4-5"),
  },
  {
    name: "@ai-sdk/google",
    dialect: "gemini",
    model: (options) => createGoogleGenerativeAI(options).languageModel("gemini-3-flash"),
  },
];

const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "Hi" }] }];

const context: AnswerContext = {
  callerBody: { model: "m", stream_options: { include_usage: true } },
  model: "m",
  fallbackId: "01jabc",
  created: 1_700_000_000,
  estimatedInputTokens: 7,
};

/** A model whose every request is answered with this. */
function modelThat({ model }: SdkProvider, body: string, contentType: string): SdkModel {
  const answer = async () => new Response(body, { headers: { "content-type": contentType } });
  const { preconnect } = globalThis.fetch;
  return model({ baseURL: "http://127.0.0.1:9/v1", apiKey: "none", fetch: Object.assign(answer, { preconnect }) });
}

/** The SDK declares no free-text tools, and so is never answered with a call of one. */
const answers = fc
  .oneof(anyAnswer, searchingAnswer)
  .filter(({ candidates }) =>
    candidates.every(({ parts }) => parts.every((part) => part.type !== "tool-call" || part.kind === "function")),
  );

function streamOf(dialect: DialectName, answer: ConversationResponse): string {
  const encoder = codecs[dialect].caller.openStreamEncoder(context);
  const text = eventsOf(answer)
    .map((event) => encoder.push(event))
    .join("");
  return text + encoder.terminator();
}

test.each(providers)("$name takes whole answers", async (provider) => {
  await fc.assert(
    fc.asyncProperty(answers, async (answer) => {
      const body = JSON.stringify(codecs[provider.dialect].caller.encodeResponse(answer, context));
      const { content } = await modelThat(provider, body, "application/json").doGenerate({ prompt });
      expect(content).toBeArray();
    }),
    { numRuns: 100 },
  );
});

test.each(providers)("$name takes streamed answers", async (provider) => {
  await fc.assert(
    fc.asyncProperty(answers, async (answer) => {
      const model = modelThat(provider, streamOf(provider.dialect, answer), "text/event-stream");
      const { stream } = await model.doStream({ prompt });
      const parts = await Array.fromAsync(stream);
      expect(parts.filter(({ type }) => type === "error")).toEqual([]);
      expect(parts.at(-1)?.type).toBe("finish");
    }),
    { numRuns: 100 },
  );
});
