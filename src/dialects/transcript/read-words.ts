import { isObject, listOrEmpty } from "../../json/values.ts";
import { readSeconds, type TimedText } from "./transcript.ts";

/** What a provider tells of a word. Null if the entry is none. */
export interface ToldWord {
  readonly text: string | null;
  readonly logprob: number | null;
  readonly speaker: string | null;
}

/**
 * The words of a provider's list, with the `start` and `end` that all providers have, in seconds. Entries without text or times
 * are left out.
 * @param tell reads the rest of an entry
 */
export function readWords(
  list: unknown,
  tell: (entry: Readonly<Record<string, unknown>>) => ToldWord | null,
): readonly TimedText[] {
  const words: TimedText[] = [];
  for (const entry of listOrEmpty(list)) {
    const told = isObject(entry) ? tell(entry) : null;
    if (told === null || !isObject(entry)) continue;
    const { text, logprob, speaker } = told;
    const start = readSeconds(entry.start);
    const end = readSeconds(entry.end);
    if (text === null || text === "" || start === null || end === null) continue;
    words.push({ text, start, end, logprob, speaker });
  }
  return words;
}
