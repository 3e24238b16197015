import type { JsonObject } from "./json.ts";

/** What a request asks, in no vendor's words: all that an answer may depend on. */
export interface Prompt {
  readonly model: string;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly PromptTool[];
  readonly toolChoice: ToolChoice;
  /** Whether several calls may be made at once. */
  readonly parallelTools: boolean;
  readonly format: AnswerFormat;
  /** Bound on everything written, reasoning included, in tokens. */
  readonly maxTokens: number | null;
  readonly stop: readonly string[];
  /** How many answers are asked for. */
  readonly choices: number;
  /** Requests with one cache key find each other's input in the simulated cache. */
  readonly cacheKey: string | null;
  /** False where the caller turned reasoning off. */
  readonly reasoning: boolean;
}

export interface PromptMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** On a tool's result: the call that it answers. */
  readonly toolCallId: string | null;
}

export interface Attachment {
  readonly kind: "image" | "audio" | "file";
  /** What can be said of it without fetching anything: `image/png, 68 bytes`, or its URL. */
  readonly description: string;
}

export interface PromptTool {
  readonly name: string;
  /** JSON Schema of its arguments. */
  readonly schema: JsonObject;
}

export type ToolChoice =
  | { readonly mode: "auto" }
  | { readonly mode: "none" }
  | { readonly mode: "required" }
  | { readonly mode: "named"; readonly name: string };

export type AnswerFormat =
  | { readonly kind: "text" }
  | { readonly kind: "json" }
  | { readonly kind: "schema"; readonly schema: unknown };

/** What the user last wrote; empty where the user wrote nothing. */
export function lastUserText(prompt: Prompt): string {
  return prompt.messages.findLast((message) => message.role === "user")?.text ?? "";
}

/** The tool results that end the conversation; none where something else ends it. */
export function closingToolResults(prompt: Prompt): readonly PromptMessage[] {
  const start = prompt.messages.findLastIndex((message) => message.role !== "tool") + 1;
  return prompt.messages.slice(start);
}
