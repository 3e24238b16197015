import { isObject, type JsonObject } from "../../json/values.ts";
import { AnswerFault } from "../exchange.ts";
import { checkStructure } from "../exchanges/bounded-json.ts";

/** An answer as JSON. Throws an `AnswerFault` if it is no object. */
export function parseJobAnswer(body: Uint8Array): JsonObject {
  checkStructure(body);
  let answer: unknown = null;
  try {
    answer = JSON.parse(new TextDecoder().decode(body));
  } catch {
    // Refused below.
  }
  if (isObject(answer)) return answer;
  throw new AnswerFault("The answer is no JSON object.");
}

/** Waits between two questions about a job, in milliseconds: each half as long again as the one before. */
export function pollWaits(): () => number {
  let next = 100;
  return () => {
    const wait = next;
    next = Math.min(3_000, next * 1.5);
    return Math.round(wait);
  };
}
