import type { TokenLogprob } from "../../../conversation/response.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";

/** Reads a candidate's `logprobsResult`; undefined if there is none. */
export function decodeLogprobs(value: unknown): TokenLogprob[] | undefined {
  if (!isObject(value)) return undefined;
  const alternatives = listOrEmpty(value.topCandidates);
  const tokens = listOrEmpty(value.chosenCandidates).flatMap((chosen, position) => {
    const token = decodeToken(chosen);
    const others = alternatives[position];
    if (token === null) return [];
    if (!isObject(others)) return [token];
    const top = listOrEmpty(others.candidates).flatMap((other) => decodeToken(other) ?? []);
    return [{ ...token, top }];
  });
  return tokens.length === 0 ? undefined : tokens;
}

function decodeToken(value: unknown): TokenLogprob | null {
  if (!isObject(value)) return null;
  // A logarithm of 0 is left out.
  const logprob = typeof value.logProbability === "number" ? value.logProbability : 0;
  return { token: stringOrNull(value.token) ?? "", logprob };
}

/** Writes `logprobsResult`; undefined if there is nothing to write. */
export function encodeLogprobs(logprobs: readonly TokenLogprob[] | undefined): JsonObject | undefined {
  if (logprobs === undefined || logprobs.length === 0) return undefined;
  const alternatives = logprobs.some((token) => token.top !== undefined && token.top.length > 0);
  return {
    chosenCandidates: logprobs.map(encodeToken),
    topCandidates: alternatives
      ? logprobs.map((token) => ({ candidates: (token.top ?? []).map(encodeToken) }))
      : undefined,
  };
}

function encodeToken({ token, logprob }: TokenLogprob): JsonObject {
  return { token, logProbability: logprob };
}
