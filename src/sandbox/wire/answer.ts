import type { Script } from "../script/script.ts";

/** An answer ready to be sent, including faults of its content. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A text with a known length, or the parts of a stream, as text or bytes. */
  readonly body: string | Iterable<string | Uint8Array>;
}

/** An answer and how to send it. */
export interface ScriptedAnswer {
  readonly answer: Answer;
  readonly script: Script;
}
