import { expect } from "bun:test";
import type { JsonObject } from "../../src/json/values.ts";
import {
  hearChat,
  hearGeminiArray,
  hearGeminiEvents,
  hearMessages,
  hearResponses,
  type Heard,
} from "./grammar.testkit.ts";

/** A dialect over plain HTTP: how to send requests and how to read streams. */
export interface Caller {
  readonly name: string;
  path(model: string, stream: boolean): string;
  /** A request with one user message; with `tools`, also a function `get_weather` of a city. */
  body(model: string, prompt: string, options?: BodyOptions): JsonObject;
  readonly hear: (stream: string) => Heard;
  /** A keep-alive in a stream. */
  readonly keepAlive: RegExp;
  /** A text that only a complete stream contains; null if its end is enough. */
  readonly lastWord: string | null;
  /** The text of a complete answer. */
  textOf(answer: unknown): string;
  /** The error response for a status, as far as the dialect defines it. */
  envelope(error: ExpectedError): object;
  /** The error event at the end of a broken stream. */
  brokenOff(stream: string): unknown;
  /** The dialect's own header with the request id. */
  readonly idHeader: string;
}

export interface BodyOptions {
  readonly stream?: boolean;
  readonly tools?: boolean;
  /** Further top-level fields. */
  readonly more?: JsonObject;
}

export interface ExpectedError {
  readonly status: number;
  readonly code: string;
  readonly param?: string | null;
  readonly requestId: string;
  readonly message?: unknown;
}

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

interface AnyAnswer {
  readonly choices: readonly { readonly message: { readonly content: string } }[];
  readonly output: readonly { readonly content?: readonly { readonly text: string }[] }[];
  readonly content: readonly { readonly text?: string }[];
  readonly candidates: readonly {
    readonly content: { readonly parts: readonly { readonly text?: string; readonly thought?: boolean }[] };
  }[];
}

const lastData = (stream: string): unknown => JSON.parse(stream.trim().split("data: ").at(-1) ?? "");

const openaiEnvelope = ({ code, param = null, requestId, message = expect.any(String) }: ExpectedError) => ({
  error: { type: expect.any(String), code, param, message, request_id: requestId },
});

export const chatCaller: Caller = {
  name: "chat",
  path: () => "/v1/chat/completions",
  body: (model, prompt, { stream = false, tools = false, more = {} } = {}) => ({
    model,
    messages: [{ role: "user", content: prompt }],
    ...(stream ? { stream } : {}),
    ...(tools ? { tools: [{ type: "function", function: { name: "get_weather", parameters: schema } }] } : {}),
    ...more,
  }),
  hear: hearChat,
  keepAlive: /^:/m,
  lastWord: "[DONE]",
  textOf: (answer) => (answer as AnyAnswer).choices[0]?.message.content ?? "",
  envelope: openaiEnvelope,
  brokenOff: lastData,
  idHeader: "x-request-id",
};

export const responsesCaller: Caller = {
  name: "responses",
  path: () => "/v1/responses",
  body: (model, prompt, { stream = false, tools = false, more = {} } = {}) => ({
    model,
    input: [{ role: "user", content: prompt }],
    ...(stream ? { stream } : {}),
    ...(tools ? { tools: [{ type: "function", name: "get_weather", parameters: schema, strict: false }] } : {}),
    ...more,
  }),
  hear: hearResponses,
  keepAlive: /^:/m,
  lastWord: "event: response.completed",
  textOf: (answer) =>
    (answer as AnyAnswer).output.flatMap(({ content }) => (content ?? []).map(({ text }) => text)).join(""),
  envelope: openaiEnvelope,
  // The response object that failed follows.
  brokenOff: (stream) => {
    const [event, failed] = stream.trim().split("\n\n").slice(-2);
    if (!failed?.startsWith("event: response.failed\n")) throw new Error("There is no response.failed.");
    return lastData(event ?? "");
  },
  idHeader: "x-request-id",
};

export const messagesCaller: Caller = {
  name: "messages",
  path: () => "/v1/messages",
  body: (model, prompt, { stream = false, tools = false, more = {} } = {}) => ({
    model,
    max_tokens: 1_000,
    messages: [{ role: "user", content: prompt }],
    ...(stream ? { stream } : {}),
    ...(tools ? { tools: [{ name: "get_weather", input_schema: schema }] } : {}),
    ...more,
  }),
  hear: hearMessages,
  keepAlive: /^event: ping$/m,
  lastWord: "event: message_stop",
  textOf: (answer) => (answer as AnyAnswer).content.map(({ text }) => text ?? "").join(""),
  envelope: ({ requestId, message = expect.any(String) }) => ({
    type: "error",
    error: { type: expect.any(String), message },
    request_id: requestId,
  }),
  brokenOff: (stream) => {
    if (!stream.trim().split("\n\n").at(-1)?.startsWith("event: error\n")) throw new Error("There is no error event.");
    return lastData(stream);
  },
  idHeader: "request-id",
};

const geminiCaller = {
  body: (_model: string, prompt: string, { tools = false, more = {} }: BodyOptions = {}) => ({
    contents: [{ role: "user", parts: [{ text: prompt }] }],
    ...(tools ? { tools: [{ functionDeclarations: [{ name: "get_weather", parametersJsonSchema: schema }] }] } : {}),
    ...more,
  }),
  lastWord: null,
  textOf: (answer: unknown) =>
    ((answer as AnyAnswer).candidates[0]?.content.parts ?? [])
      .map(({ text, thought }) => (thought ? "" : text))
      .join(""),
  envelope: ({ status, code, requestId, message = expect.any(String) }: ExpectedError) => ({
    error: {
      code: status,
      message,
      status: expect.stringMatching(/^[A-Z_]+$/),
      details: expect.arrayContaining([expect.objectContaining({ reason: code, metadata: { request_id: requestId } })]),
    },
  }),
  idHeader: "x-request-id",
};

const geminiPath = (model: string, stream: boolean, query: string) =>
  `/v1beta/models/${model}:${stream ? `streamGenerateContent${query}` : "generateContent"}`;

export const geminiEventsCaller: Caller = {
  ...geminiCaller,
  name: "gemini events",
  path: (model, stream) => geminiPath(model, stream, "?alt=sse"),
  hear: hearGeminiEvents,
  keepAlive: /^:/m,
  brokenOff: lastData,
};

export const geminiArrayCaller: Caller = {
  ...geminiCaller,
  name: "gemini array",
  path: (model, stream) => geminiPath(model, stream, ""),
  hear: hearGeminiArray,
  // White space between the values of the JSON array.
  keepAlive: /}\n|^\n/,
  brokenOff: (stream) => (JSON.parse(stream) as unknown[]).at(-1),
};

export const callers = [chatCaller, responsesCaller, messagesCaller, geminiEventsCaller, geminiArrayCaller] as const;
