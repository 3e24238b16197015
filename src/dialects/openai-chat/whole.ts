import { isObject, stringOrNull, type JsonObject } from "../../json/values.ts";
import { AnswerFault, type Observation } from "../exchange.ts";
import { readError } from "./errors.ts";
import { createProducedText } from "./produced-text.ts";
import { readUsage } from "./usage.ts";

const decoder = new TextDecoder();

/** Reads a whole chat completion. Throws an `AnswerFault` where the bytes are not one. */
export function readCompletion(bytes: Uint8Array): JsonObject {
  let completion: unknown;
  try {
    completion = JSON.parse(decoder.decode(bytes));
  } catch {
    throw new AnswerFault(bytes.length === 0 ? "The answer is empty." : "The answer is not valid JSON.");
  }
  const error = readError(completion);
  if (error) throw new AnswerFault("The provider answered with an error.", error);
  if (!isObject(completion) || !Array.isArray(completion.choices)) {
    throw new AnswerFault("The answer is not a chat completion: it has no choices.");
  }
  return completion;
}

export function observeCompletion(completion: JsonObject): Observation {
  return {
    responseId: stringOrNull(completion.id),
    usage: readUsage(completion.usage),
    producedText() {
      const text = createProducedText();
      if (Array.isArray(completion.choices)) {
        for (const choice of completion.choices) if (isObject(choice)) text.add(choice.message);
      }
      return text.toString();
    },
  };
}
