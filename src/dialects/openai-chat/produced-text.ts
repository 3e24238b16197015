import { isObject, listOrEmpty } from "../../json/values.ts";

/** What comes after this many characters is not kept, so that an endless answer holds no memory. */
const maxKept = 2_000_000;

/** The text a model produced, gathered piece by piece for an estimate of its tokens. */
export interface ProducedText {
  /** Adds what one message or delta says: content, refusal, reasoning, tool names and arguments. */
  add(message: unknown): void;
  /** All of it, up to a bound of two million characters. */
  toString(): string;
}

export function createProducedText(): ProducedText {
  let kept: string[] = [];
  let keptLength = 0;

  const keep = (value: unknown) => {
    if (typeof value !== "string" || value === "" || keptLength >= maxKept) return;
    kept.push(value);
    keptLength += value.length;
    // A long stream is thousands of small strings: joined, they take a fraction of the memory.
    if (kept.length >= 512) kept = [kept.join("")];
  };

  return {
    add(message) {
      if (!isObject(message)) return;
      const { content } = message;
      if (typeof content === "string") keep(content);
      else for (const part of listOrEmpty(content)) if (isObject(part)) keep(part.text);
      keep(message.refusal);
      keep(message.reasoning_content ?? message.reasoning);
      for (const call of listOrEmpty(message.tool_calls)) {
        if (!isObject(call) || !isObject(call.function)) continue;
        keep(call.function.name);
        keep(call.function.arguments);
      }
    },
    toString: () => kept.join(""),
  };
}
