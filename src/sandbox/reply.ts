/** The answer of the scripted model, independent of a vendor. A dialect writes it. */
export interface Reply {
  /** Unique in this sandbox, without a vendor's prefix; or that of the script, to be written unchanged. */
  readonly id: { readonly unique: string } | { readonly scripted: string };
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly choices: readonly Choice[];
  readonly tokens: Tokens;
}

export interface Choice {
  readonly reasoning: string;
  /** The chunks of the text in a stream; joined they are the text. */
  readonly pieces: readonly string[];
  readonly refusal: string | null;
  readonly toolCalls: readonly ToolCall[];
  /** stop, length, tool_calls, content_filter, or that of the script. Null: none. */
  readonly finishReason: string | null;
  /** The stop sequence at which the text ended. */
  readonly stopSequence: string | null;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, unless the script sets another text. */
  readonly arguments: string;
}

export interface Tokens {
  /** All input tokens, including both cache counts. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** All output tokens, including reasoning. */
  readonly output: number;
  readonly reasoning: number;
}
