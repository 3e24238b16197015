import type { JsonObject } from "./json.ts";

/** A request independent of a vendor, with everything that an answer may depend on. */
export interface Prompt {
  readonly model: string;
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly PromptTool[];
  readonly toolChoice: ToolChoice;
  /** Whether parallel tool calls are allowed. */
  readonly parallelTools: boolean;
  readonly format: AnswerFormat;
  /** Maximum number of output tokens, including reasoning. */
  readonly maxTokens: number | null;
  readonly stop: readonly string[];
  /** The number of answers. */
  readonly choices: number;
  /** Requests with the same key share the simulated cache. */
  readonly cacheKey: string | null;
  /** False if the caller has disabled reasoning. */
  readonly reasoning: boolean;
}

export interface PromptMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly toolCalls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  /** For a tool result: the id of the call. */
  readonly toolCallId: string | null;
}

export interface Attachment {
  readonly kind: "image" | "audio" | "file";
  /** A description without fetching: `image/png, 68 bytes`, or the URL. */
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

/** The last text of the user; empty if there is none. */
export function lastUserText(prompt: Prompt): string {
  return prompt.messages.findLast((message) => message.role === "user")?.text ?? "";
}

/** The tool results at the end of the conversation. */
export function closingToolResults(prompt: Prompt): readonly PromptMessage[] {
  const start = prompt.messages.findLastIndex((message) => message.role !== "tool") + 1;
  return prompt.messages.slice(start);
}

/** The prompt of texts without an answer, for embeddings. */
export function promptOfTexts(model: string, texts: readonly string[]): Prompt {
  return {
    model,
    messages: texts.map((text) => ({ role: "user", text, attachments: [], toolCalls: [], toolCallId: null })),
    tools: [],
    toolChoice: { mode: "none" },
    parallelTools: false,
    format: { kind: "text" },
    maxTokens: null,
    stop: [],
    choices: 1,
    cacheKey: null,
    reasoning: false,
  };
}
