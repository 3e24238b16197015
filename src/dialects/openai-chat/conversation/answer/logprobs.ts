import type { TokenLogprob } from "../../../../conversation/response.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../../json/values.ts";

/** Reads a choice's `logprobs`; undefined where there are none. */
export function decodeLogprobs(value: unknown): TokenLogprob[] | undefined {
  if (!isObject(value)) return undefined;
  const tokens = listOrEmpty(value.content).flatMap((item) => decodeToken(item));
  return tokens.length === 0 ? undefined : tokens;
}

function decodeToken(value: unknown): TokenLogprob[] {
  if (!isObject(value) || typeof value.logprob !== "number") return [];
  const bytes = Array.isArray(value.bytes)
    ? value.bytes.filter((byte): byte is number => typeof byte === "number")
    : undefined;
  const top = Array.isArray(value.top_logprobs) ? value.top_logprobs.flatMap((item) => decodeToken(item)) : undefined;
  return [{ token: stringOrNull(value.token) ?? "", logprob: value.logprob, bytes, top }];
}

/** Writes a choice's `logprobs`; null where there are none. */
export function encodeLogprobs(logprobs: readonly TokenLogprob[] | undefined): JsonObject | null {
  if (logprobs === undefined) return null;
  return {
    content: logprobs.map((token) => ({ ...encodeToken(token), top_logprobs: (token.top ?? []).map(encodeToken) })),
    refusal: null,
  };
}

function encodeToken({ token, logprob, bytes }: TokenLogprob): JsonObject {
  return { token, logprob, bytes: bytes ?? null };
}
