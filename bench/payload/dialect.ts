/** The wire formats that the upstream answers in. */
export type Dialect = "openai-chat" | "anthropic-messages" | "openai-responses" | "gemini";

/**
 * A whole answer; a stream with pauses between its chunks; a stream whose chunks all come at once; or a stream that is
 * held open. The last two are for chat completions only.
 */
export type Answering = "json" | "stream" | "burst" | "held";

/** The upstream's answers in one dialect: the same text in each, in the vendor's form. */
export interface Answers {
  /** The body of an answer that is not streamed. */
  readonly whole: string;
  /** The separately flushed pieces of a streamed answer, as many in each dialect, in whole events. */
  readonly pieces: readonly string[];
}

/** How a caller of a dialect asks for an answer. */
export interface Asking {
  /** Of the gateway's endpoint. Some dialects name the model here and not in the body. */
  readonly path: (model: string, answering: Answering) => string;
  /** Lower-case names; with them goes the gateway's key. */
  readonly headers: (key: string) => Readonly<Record<string, string>>;
  readonly body: (model: string, answering: Answering) => string;
}
