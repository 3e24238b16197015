import type { Heard } from "./hear.ts";

/** Which of two people says each word: they take turns, a sentence each. */
export function speakersOf(words: Heard["words"]): readonly (0 | 1)[] {
  let speaker: 0 | 1 = 0;
  return words.map(({ text }) => {
    const said = speaker;
    if (/[.!?]$/.test(text)) speaker = speaker === 0 ? 1 : 0;
    return said;
  });
}
