/** A word as it sounds in the sandbox: a tone, and a pause after it. */
export interface Tone {
  /** What it stands for. The sound carries it, so that the sandbox can transcribe what it has said. */
  readonly word: string;
  /** Hertz. */
  readonly pitch: number;
  /** Seconds of the tone. */
  readonly length: number;
}

/** Seconds between two words. */
export const pause = 0.05;

const secondsPerCharacter = 0.05;
const minLength = 0.1;
const maxLength = 0.4;

/** Five notes of a scale without half-tones: any order of them is pleasant to hear. */
const pitches = [262, 294, 330, 392, 440] as const;

/** The words of a text as tones: the same word always sounds the same, and a longer one longer. At least one. */
export function tonesOf(text: string, speed = 1): Tone[] {
  const words = text.split(/\s+/).filter((word) => word !== "");
  return (words.length === 0 ? ["-"] : words).map((word) => {
    const length = Math.min(maxLength, Math.max(minLength, word.length * secondsPerCharacter));
    return { word, pitch: pitches[Number(Bun.hash(word) % 5n)] ?? pitches[0], length: length / speed };
  });
}

/** Seconds of all of them, to the millisecond. */
export function secondsOf(tones: readonly Tone[]): number {
  const seconds = tones.reduce((sum, { length }) => sum + length + pause, 0);
  return Math.round(seconds * 1_000) / 1_000;
}
