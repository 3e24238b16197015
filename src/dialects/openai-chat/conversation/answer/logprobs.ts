import type { TokenLogprob } from "../../../../conversation/response.ts";
import { isObject, type JsonObject } from "../../../../json/values.ts";
import { decodeTokenLogprobs, encodeTokenLogprobs } from "../../../fields/openai-logprobs.ts";

/** Reads a choice's `logprobs`; undefined if there are none. */
export function decodeLogprobs(value: unknown): TokenLogprob[] | undefined {
  const tokens = isObject(value) ? decodeTokenLogprobs(value.content) : [];
  return tokens.length === 0 ? undefined : tokens;
}

/** Writes a choice's `logprobs`; null if there are none. */
export function encodeLogprobs(logprobs: readonly TokenLogprob[] | undefined): JsonObject | null {
  return logprobs === undefined ? null : { content: encodeTokenLogprobs(logprobs, null), refusal: null };
}
