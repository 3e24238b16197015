import type { Script } from "../script.ts";

/** An answer ready to be sent: what is wrong with its content, if anything, is already in it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** One text with a known length, or the parts of a stream. */
  readonly body: string | Iterable<string>;
}

/** An answer and how to send it. */
export interface ScriptedAnswer {
  readonly answer: Answer;
  readonly script: Script;
}
