import type { JsonObject } from "../../src/json/values.ts";

/** A case of the compliance suite. */
export interface ComplianceCase {
  readonly name: string;
  readonly stream: boolean;
  /** Without `model` and `stream`. */
  readonly request: JsonObject;
  /** The types of items that the output must have, at least one of each; empty: any item. */
  readonly itemTypes: readonly string[];
  readonly isCompleted: boolean;
}

const said = (role: string, content: unknown) => ({ type: "message", role, content });

const weather = {
  input: [said("user", "What's the weather like in San Francisco?")],
  tools: [
    {
      type: "function",
      name: "get_weather",
      description: "Get the current weather for a location",
      parameters: {
        type: "object",
        properties: { location: { type: "string", description: "The city and state, e.g. San Francisco, CA" } },
        required: ["location"],
      },
    },
  ],
};

/** One red pixel. */
const png =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/**
 * The requests of https://www.openresponses.org/compliance, as openresponses/openresponses has them in
 * src/lib/compliance-tests.ts (commit 0cb939c), with a smaller image. That suite is in no package registry.
 */
export const complianceCases: readonly ComplianceCase[] = [
  {
    name: "basic text response",
    stream: false,
    request: { input: [said("user", "Say hello in exactly 3 words.")] },
    itemTypes: [],
    isCompleted: true,
  },
  {
    name: "streaming response",
    stream: true,
    request: { input: [said("user", "Count from 1 to 5.")] },
    itemTypes: [],
    isCompleted: true,
  },
  {
    name: "system prompt",
    stream: false,
    request: {
      input: [said("system", "You are a pirate. Always respond in pirate speak."), said("user", "Say hello.")],
    },
    itemTypes: [],
    isCompleted: true,
  },
  { name: "tool calling", stream: false, request: weather, itemTypes: ["function_call"], isCompleted: false },
  { name: "tool calling, streaming", stream: true, request: weather, itemTypes: ["function_call"], isCompleted: false },
  {
    name: "image input",
    stream: false,
    request: {
      input: [
        said("user", [
          { type: "input_text", text: "What do you see in this image? Answer in one sentence." },
          { type: "input_image", image_url: png },
        ]),
      ],
    },
    itemTypes: [],
    isCompleted: true,
  },
  {
    name: "multi-turn conversation",
    stream: false,
    request: {
      input: [
        said("user", "My name is Alice."),
        said("assistant", "Hello Alice! Nice to meet you. How can I help you today?"),
        said("user", "What is my name?"),
      ],
    },
    itemTypes: [],
    isCompleted: true,
  },
];
