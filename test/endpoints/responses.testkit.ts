import OpenAI from "openai";
import type { TestGateway, TestGatewayOptions } from "../gateway.testkit.ts";

/** A gateway for the Responses API in front of providers of every dialect. */
export const responsesOptions: TestGatewayOptions = {
  providers: (url) => [
    { id: "native", dialects: ["openai-responses"] },
    { id: "other-native", dialects: ["openai-responses"] },
    { id: "google", dialects: ["gemini"], baseUrl: url.replace(/\/v1$/, "") },
    { id: "anthropic", dialects: ["anthropic-messages"], baseUrl: url.replace(/\/v1$/, "") },
  ],
  models: [
    { id: "native", targets: [{ provider: "native", model: "sandbox-chat" }] },
    { id: "native-reasoning", targets: [{ provider: "native", model: "sandbox-reasoning" }] },
    { id: "other-reasoning", targets: [{ provider: "other-native", model: "sandbox-reasoning" }] },
    { id: "google", targets: [{ provider: "google", model: "sandbox-chat" }] },
    { id: "anthropic", targets: [{ provider: "anthropic", model: "sandbox-chat" }] },
  ],
};

export function clientOf({ url, key }: Pick<TestGateway, "url" | "key">): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

export const chat = "sandbox-chat";

/** A model behind a provider of each dialect. */
export const everyDialect = [chat, "native", "google", "anthropic"];

/** A text with a script for the sandbox's answer. */
export const says = (script: object, text = "Hi") => `${text} [[sandbox: ${JSON.stringify(script)}]]`;

export const weather: OpenAI.Responses.FunctionTool = {
  type: "function",
  name: "get_weather",
  strict: true,
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

/** The body of the newest request that the provider received. */
export function sentUp({ sandbox }: TestGateway): Record<string, unknown> {
  return JSON.parse(new TextDecoder().decode(sandbox.requests.at(-1)?.body));
}
