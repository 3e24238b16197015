const logprob = -0.25;
const maxTop = 20;

/** Log probabilities of one chunk of text: constant for every token. */
export function writeTokenLogprob(token: string, topLogprobs: number): unknown {
  const entry = { token, logprob, bytes: [...new TextEncoder().encode(token)] };
  const alternatives = Array.from({ length: Math.min(topLogprobs, maxTop) }, (_, rank) =>
    rank === 0 ? entry : { token: `~${rank}`, logprob: logprob - rank, bytes: [126, 48 + (rank % 10)] },
  );
  return { ...entry, top_logprobs: alternatives };
}

/** The `logprobs` of a choice or a chunk. */
export function writeLogprobs(pieces: readonly string[], topLogprobs: number | null): unknown {
  if (topLogprobs === null) return null;
  return { content: pieces.map((piece) => writeTokenLogprob(piece, topLogprobs)), refusal: null };
}
