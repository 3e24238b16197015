import { AnswerFault } from "../exchange.ts";
import { joinWords } from "./segments.ts";
import type { TimedText, Transcript } from "./transcript.ts";

/** A stretch of one speaker, in the form of OpenAI's answers and events. */
export interface SpeakerSegment {
  readonly type: "transcript.text.segment";
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly speaker: string;
}

/** A longer stretch is cut. */
const maxSeconds = 30;
/** A silence after which the same speaker begins anew. */
const maxGapSeconds = 2;

/**
 * A transcript by its speakers, who are named A, B, C in the order in which they are first heard, as OpenAI names those it does
 * not know. Throws an `AnswerFault` if the provider did not tell them apart.
 */
export function speakerSegments({ text, words }: Transcript): readonly SpeakerSegment[] {
  const isTold = words.length > 0 && words.every(({ speaker }) => speaker !== null);
  if (!isTold && text.trim() !== "") throw new AnswerFault("The answer does not tell its speakers apart.");
  const names = new Map<string | null, string>();
  return turnsOf(words).map((turn, index) => {
    const { start, end, text: said, speaker } = joinWords(turn);
    const name = names.get(speaker) ?? letters(names.size);
    names.set(speaker, name);
    const id = `seg_${String(index + 1).padStart(3, "0")}`;
    return { type: "transcript.text.segment", id, start, end, text: said, speaker: name };
  });
}

function turnsOf(words: readonly TimedText[]): readonly (readonly TimedText[])[] {
  const turns: TimedText[][] = [];
  for (const word of words) {
    const turn = turns.at(-1);
    const [first] = turn ?? [];
    const last = turn?.at(-1);
    const goesOn =
      last?.speaker === word.speaker &&
      word.start - last.end <= maxGapSeconds &&
      word.end - (first?.start ?? 0) <= maxSeconds;
    if (turn && goesOn) turn.push(word);
    else turns.push([word]);
  }
  return turns;
}

/** A to Z, then AA. */
function letters(index: number): string {
  const last = String.fromCharCode(65 + (index % 26));
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last;
}
