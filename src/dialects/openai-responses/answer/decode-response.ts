import type { Part } from "../../../conversation/parts.ts";
import type { ConversationResponse, TokenLogprob } from "../../../conversation/response.ts";
import { isObject, stringOrNull, type JsonObject } from "../../../json/values.ts";
import { AnswerFault } from "../../exchange.ts";
import { readEventError } from "../errors.ts";
import { decodeFinish, profileOf } from "./finish.ts";
import { decodeOutputItem, logprobsOf } from "./decode-output.ts";
import { readResponsesUsage } from "../usage.ts";

/** Reads a whole response object. Throws an `AnswerFault` if it is an error, none, or not finished. */
export function decodeResponsesResponse(body: unknown): ConversationResponse {
  if (!isObject(body)) throw new AnswerFault("The provider's answer is not a response object.");
  failOnError(body);
  if (!Array.isArray(body.output)) throw new AnswerFault("The provider's answer has no output.");
  const parts: Part[] = [];
  const logprobs: TokenLogprob[] = [];
  for (const item of body.output) {
    if (!isObject(item)) continue;
    parts.push(...decodeOutputItem(item));
    logprobs.push(...logprobsOf(item));
  }
  const finish = decodeFinish(body, profileOf(parts));
  return {
    ...headOf(body),
    candidates: [{ parts, finish, logprobs: logprobs.length === 0 ? undefined : logprobs }],
    usage: readResponsesUsage(body),
    ...factsOf(body),
  };
}

/** Throws if a response object reports that it is no answer. */
export function failOnError(response: JsonObject): void {
  const error = readEventError(response);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  const { status } = response;
  if (status === "completed" || status === "incomplete" || status === undefined) return;
  if (status === "failed") throw new AnswerFault("The provider reported that the answer failed.");
  if (status === "cancelled") throw new AnswerFault("The provider reported that the answer was cancelled.");
  throw new AnswerFault("The provider's answer is not finished.");
}

export function headOf(response: JsonObject) {
  return {
    id: stringOrNull(response.id),
    model: stringOrNull(response.model),
    created: typeof response.created_at === "number" ? response.created_at : null,
  };
}

/** Fields that say more of the answer; all others of a response echo its request. */
const nativeFields = ["tool_usage", "prompt_cache_diagnostics", "moderation", "input_transformations"] as const;

/** The service tier, and the fields that only OpenAI has. */
export function factsOf(response: JsonObject): Pick<ConversationResponse, "serviceTier" | "native"> {
  const fields = nativeFields.flatMap((name) =>
    response[name] === undefined || response[name] === null ? [] : [[name, response[name]] as const],
  );
  return {
    serviceTier: stringOrNull(response.service_tier) ?? undefined,
    native: fields.length === 0 ? undefined : { vendor: "openai", fields: Object.fromEntries(fields) },
  };
}
