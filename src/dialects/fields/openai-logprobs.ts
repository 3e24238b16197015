import type { TokenLogprob } from "../../conversation/response.ts";
import { isObject, type JsonObject, listOrEmpty, stringOrNull } from "../../json/values.ts";

/** Reads a list of tokens with their log probabilities, as chat completions and Responses have it. */
export function decodeTokenLogprobs(value: unknown): TokenLogprob[] {
  return listOrEmpty(value).flatMap((item) => decodeToken(item));
}

function decodeToken(value: unknown): TokenLogprob[] {
  if (!isObject(value) || typeof value.logprob !== "number") return [];
  const bytes = Array.isArray(value.bytes)
    ? value.bytes.filter((byte): byte is number => typeof byte === "number")
    : undefined;
  const top = Array.isArray(value.top_logprobs) ? value.top_logprobs.flatMap((item) => decodeToken(item)) : undefined;
  return [{ token: stringOrNull(value.token) ?? "", logprob: value.logprob, bytes, top }];
}

/** Writes the same. @param noBytes what is written for a token whose bytes are unknown: null in chat, [] in Responses */
export function encodeTokenLogprobs(
  logprobs: readonly TokenLogprob[],
  noBytes: null | readonly number[],
): JsonObject[] {
  const encode = ({ token, logprob, bytes }: TokenLogprob) => ({ token, logprob, bytes: bytes ?? noBytes });
  return logprobs.map((token) => ({ ...encode(token), top_logprobs: (token.top ?? []).map(encode) }));
}
