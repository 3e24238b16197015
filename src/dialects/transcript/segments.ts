import type { TimedText, Transcript } from "./transcript.ts";

/** What a viewer can read at once, as subtitles have it: two lines of 42 characters, for seven seconds. */
const maxCharacters = 84;
const maxSeconds = 7;
/** A silence after which the next words stand alone. */
const maxGapSeconds = 1;

/**
 * A transcript in segments that can be read at once, made from the times of its words; one segment of all of it if they are not
 * known.
 */
export function segmentsOf({ text, words, seconds }: Transcript): readonly TimedText[] {
  if (words.length === 0)
    return text === "" ? [] : [{ text, start: 0, end: seconds ?? 0, logprob: null, speaker: null }];
  const made: TimedText[] = [];
  let open: TimedText[] = [];
  let characters = 0;
  const close = () => {
    if (open.length > 0) made.push(joinWords(open));
    open = [];
    characters = 0;
  };
  for (const word of words) {
    const [first] = open;
    const last = open.at(-1);
    const isFull =
      first !== undefined &&
      last !== undefined &&
      (characters + word.text.length > maxCharacters ||
        word.end - first.start > maxSeconds ||
        word.start - last.end > maxGapSeconds);
    if (isFull) close();
    open.push(word);
    characters += word.text.length + 1;
    // A sentence has ended.
    if (/[.!?。！？…]["'”’)]*$/u.test(word.text)) close();
  }
  close();
  return made;
}

/** Scripts that are written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]$/u;

/** Words as one text, by the speaker of the first. */
export function joinWords(words: readonly TimedText[]): TimedText {
  let text = "";
  let logprobs = 0;
  for (const word of words) {
    const isApart = text !== "" && !(unspaced.test(text) && /^[\p{Lo}\p{P}]/u.test(word.text));
    text += isApart ? ` ${word.text}` : word.text;
    logprobs += word.logprob ?? 0;
  }
  const isKnown = words.every(({ logprob }) => logprob !== null);
  return {
    text,
    start: words[0]?.start ?? 0,
    end: words.at(-1)?.end ?? 0,
    logprob: isKnown ? logprobs / words.length : null,
    speaker: words[0]?.speaker ?? null,
  };
}
