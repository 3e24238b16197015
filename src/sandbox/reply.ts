/** What the scripted model says, in no vendor's words. A dialect writes it down. */
export interface Reply {
  /** Unique in this sandbox, without a vendor's prefix; or the script's own, to be written as it is. */
  readonly id: { readonly unique: string } | { readonly scripted: string };
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly choices: readonly Choice[];
  readonly tokens: Tokens;
}

export interface Choice {
  readonly reasoning: string;
  /** The text as a stream cuts it; together they are the whole text. */
  readonly pieces: readonly string[];
  readonly refusal: string | null;
  readonly toolCalls: readonly ToolCall[];
  /** stop, length, tool_calls, content_filter, or whatever the script says. Null: the answer names none. */
  readonly finishReason: string | null;
  /** The stop sequence at which the text ended. */
  readonly stopSequence: string | null;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, unless the script says otherwise. */
  readonly arguments: string;
}

export interface Tokens {
  /** All that was read, both cache counts included. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** All that was written, reasoning included. */
  readonly output: number;
  readonly reasoning: number;
}
