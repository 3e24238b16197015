import type { TokenLogprob } from "../../../conversation/response.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";

/** Reads the `logprobs` of a text or of a piece of it. */
export function decodeLogprobs(value: unknown): TokenLogprob[] {
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

export function encodeLogprobs(logprobs: readonly TokenLogprob[]): JsonObject[] {
  return logprobs.map((token) => ({ ...encodeToken(token), top_logprobs: (token.top ?? []).map(encodeToken) }));
}

function encodeToken({ token, logprob, bytes }: TokenLogprob): JsonObject {
  return { token, logprob, bytes: bytes ?? [] };
}
