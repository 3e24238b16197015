/** The thread behind `token-counter.ts`. */

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { slicesOf } from "./text-slices.ts";
import type { CountAnswer, CountRequest } from "./token-counter.ts";

/** Words of the model's own control language, such as `<|endoftext|>`, are only text when a caller writes them. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() };

globalThis.addEventListener("message", ({ data }: MessageEvent<CountRequest>) => {
  let tokens = 0;
  for (const text of data.texts) for (const slice of slicesOf(text)) tokens += countTokens(slice, asText);
  postMessage({ id: data.id, tokens } satisfies CountAnswer);
});
