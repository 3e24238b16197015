/** A conversation of the explorer, independent of the dialect that it is sent in. */

export type JsonObject = Readonly<Record<string, unknown>>;

export interface Picture {
  readonly name: string;
  /** An address, or the picture itself as a `data:` URL. */
  readonly url: string;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: JsonObject;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

export const efforts = ["low", "medium", "high"] as const;

/** What is asked for beside the messages. Null and empty: what the model does by itself. */
export interface ConversationSettings {
  readonly system: string;
  readonly tools: readonly ToolDefinition[];
  /** JSON Schema of the answer. */
  readonly schema: JsonObject | null;
  readonly effort: (typeof efforts)[number] | null;
  readonly maxTokens: number | null;
  readonly temperature: number | null;
}

export interface UserMessage {
  readonly role: "user";
  readonly text: string;
  readonly pictures: readonly Picture[];
}

export interface ToolResults {
  readonly role: "tool";
  readonly results: readonly { readonly call: ToolCall; readonly content: string }[];
}

/** An answer as far as its stream has been read. */
export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  /** The parts of it in its dialect's own form, which the next request repeats. Empty if text and calls say all. */
  readonly native: readonly JsonObject[];
  readonly outputTokens: number | null;
}

export const emptyAnswer: Answer = { text: "", reasoning: "", calls: [], native: [], outputTokens: null };

export interface AnswerMessage extends Answer {
  readonly role: "assistant";
}

export type Message = UserMessage | ToolResults | AnswerMessage;

export interface ConversationRequest {
  readonly model: string;
  readonly settings: ConversationSettings;
  readonly messages: readonly Message[];
}

/** How one vendor's API is asked for a streamed answer, and how its events are read. */
export interface Dialect {
  path(model: string): string;
  body(request: ConversationRequest): JsonObject;
  /** The answer with one more event of its stream. */
  read(answer: Answer, event: unknown): Answer;
}

/** A picture of a `data:` URL by its parts; null if it is an address. */
export function dataOfPicture({ url }: Picture): { readonly mediaType: string; readonly base64: string } | null {
  const [, mediaType, base64] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return mediaType === undefined || base64 === undefined ? null : { mediaType, base64 };
}

/** The arguments of a call as an object, as far as they are one. */
export function argumentsOf({ arguments: text }: ToolCall): JsonObject {
  try {
    const value: unknown = JSON.parse(text || "{}");
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
  } catch {
    return {};
  }
}
