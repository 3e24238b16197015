import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { GoogleGenAI } from "@google/genai";
import { generateText, streamText } from "ai";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { scripted } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { dialects, geminiNameOf, modelOf, searchingScript, startSearchingGateway } from "./in-chat.testkit.ts";

/** Answers with searches as the official SDKs read them. */
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startSearchingGateway();
});
afterAll(() => gateway.stop());

const url = "https://www.example.com/coffee/brewing";
const text = "Brew it slowly [1], and drink it.";
const prompt = scripted(searchingScript(text));
const cited = { type: "url_citation", url, title: "Brewing coffee by hand" };

describe.each(dialects)("at a provider of %s", (dialect) => {
  const model = modelOf(dialect);

  test("openai, chat", async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
    const body = { model, web_search_options: {}, messages: [{ role: "user" as const, content: prompt }] };
    const { choices } = await client.chat.completions.create(body);
    const { type, ...details } = cited;
    const range = { start_index: 15, end_index: 18 };
    expect(choices[0]?.message).toMatchObject({
      content: text,
      annotations: [{ type, url_citation: { ...details, ...range } }],
    });
    const stream = client.chat.completions.stream({ ...body, stream: true, stream_options: { include_usage: true } });
    const final = await stream.finalChatCompletion();
    expect(final.choices[0]).toMatchObject({ finish_reason: "stop", message: { content: text } });
    expect(final.usage?.completion_tokens).toBeGreaterThan(0);
  });

  test("openai, responses", async () => {
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
    const body = {
      model,
      input: prompt,
      tools: [{ type: "web_search" as const, search_context_size: "low" as const }],
    };
    const expected = [
      { type: "web_search_call", status: "completed", action: { type: "search", query: "coffee" } },
      {
        type: "message",
        content: [{ type: "output_text", text, annotations: [{ ...cited, start_index: 15, end_index: 18 }] }],
      },
    ];
    const said = (output: readonly { readonly type: string }[]) => output.filter(({ type }) => type !== "reasoning");
    expect(said((await client.responses.create(body)).output)).toMatchObject(expected);
    const stream = client.responses.stream(body);
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(said((await stream.finalResponse()).output)).toMatchObject(expected);
    expect(types.filter((type) => type.includes("web_search_call"))).toEqual([
      "response.web_search_call.in_progress",
      "response.web_search_call.searching",
      "response.web_search_call.completed",
    ]);
  });

  test("anthropic", async () => {
    const client = new Anthropic({ baseURL: gateway.url, apiKey: gateway.key, maxRetries: 0 });
    const body = {
      model,
      max_tokens: 500,
      messages: [{ role: "user" as const, content: prompt }],
      tools: [{ type: "web_search_20250305" as const, name: "web_search" as const, max_uses: 2 }],
    };
    const expected = [
      { type: "server_tool_use", name: "web_search", input: { query: "coffee" } },
      { type: "web_search_tool_result", content: expect.arrayContaining([expect.objectContaining({ url })]) },
      { type: "text", text, citations: [{ type: "web_search_result_location", url }] },
    ];
    const said = (content: readonly Anthropic.ContentBlock[]) =>
      content.filter(({ type }) => type !== "thinking" && type !== "redacted_thinking");
    const whole = await client.messages.create(body);
    expect(said(whole.content)).toMatchObject(expected);
    expect(whole.usage.server_tool_use).toMatchObject({ web_search_requests: 1 });
    const streamed = await client.messages.stream(body).finalMessage();
    expect(said(streamed.content)).toMatchObject(expected);
    expect(streamed).toMatchObject({ stop_reason: "end_turn", usage: { server_tool_use: { web_search_requests: 1 } } });
    const [call, result] = said(streamed.content);
    expect(result).toMatchObject({ tool_use_id: call?.type === "server_tool_use" ? call.id : "" });
  });

  test("google genai", async () => {
    const client = new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } });
    const asked = { model, contents: prompt, config: { tools: [{ googleSearch: {} }] } };
    const grounding = {
      webSearchQueries: ["coffee"],
      groundingChunks: [{ web: { uri: url, title: "Brewing coffee by hand" } }],
      groundingSupports: [{ segment: { startIndex: 15, endIndex: 18, text: "[1]" }, groundingChunkIndices: [0] }],
    };
    const whole = await client.models.generateContent(asked);
    expect(whole.text).toBe(text);
    expect(whole.candidates?.[0]?.groundingMetadata).toMatchObject(grounding);
    const chunks = await Array.fromAsync(await client.models.generateContentStream(asked));
    expect(chunks.map((chunk) => chunk.text ?? "").join("")).toBe(text);
    expect(chunks.at(-1)?.candidates?.[0]?.groundingMetadata).toMatchObject(grounding);
  });

  test("ai, with the tools of its providers", async () => {
    const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
    const anthropic = createAnthropic({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
    const google = createGoogleGenerativeAI({ baseURL: `${gateway.url}/v1beta`, apiKey: gateway.key });
    const asked = [
      { model: openai.responses(model), tools: { web_search: openai.tools.webSearch({}) } },
      { model: anthropic(model), tools: { web_search: anthropic.tools.webSearch_20250305({ maxUses: 2 }) } },
      { model: google(geminiNameOf(dialect)), tools: { google_search: google.tools.googleSearch({}) } },
    ];
    for (const { model: asker, tools } of asked) {
      const settings = {
        model: asker,
        tools: tools as Parameters<typeof generateText>[0]["tools"] & object,
        prompt,
        maxRetries: 0,
        maxOutputTokens: 500,
      };
      const whole = await generateText(settings);
      expect(whole.text).toBe(text);
      expect(whole.sources.map((source) => ("url" in source ? source.url : ""))).toContain(url);
      const failures: unknown[] = [];
      const streamed = streamText({ ...settings, onError: ({ error }) => void failures.push(error) });
      expect(await streamed.text).toBe(text);
      expect(failures).toEqual([]);
      expect((await streamed.sources).map((source) => ("url" in source ? source.url : ""))).toContain(url);
    }
  });
});
