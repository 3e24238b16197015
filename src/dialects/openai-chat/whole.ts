import { isObject, stringOrNull } from "../../json/values.ts";
import { AnswerFault, type Observation } from "../exchange.ts";
import { readError } from "./errors.ts";
import { readUsage } from "./usage.ts";

/** What a record needs of a whole chat completion. Throws an `AnswerFault` if it is none. */
export function observeCompletion(completion: unknown): Pick<Observation, "responseId" | "usage"> {
  const error = readError(completion);
  if (error) throw new AnswerFault("The provider answered with an error.", error);
  if (!isObject(completion) || !Array.isArray(completion.choices)) {
    throw new AnswerFault("The answer is not a chat completion: it has no choices.");
  }
  return { responseId: stringOrNull(completion.id), usage: readUsage(completion.usage, completion.service_tier) };
}
