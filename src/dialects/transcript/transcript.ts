import type { ReportedUsage } from "../../conversation/usage.ts";

/** A word, or a stretch of words, and when it is said. Times are seconds from the beginning of the sound. */
export interface TimedText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** The logarithm of its probability; null if the provider does not tell. */
  readonly logprob: number | null;
  /** As the provider names the speaker; null if it does not tell. */
  readonly speaker: string | null;
}

/** A transcript, independent of a dialect. */
export interface Transcript {
  readonly text: string;
  /** As the provider writes it: `en`, `eng`; null if it does not tell. */
  readonly language: string | null;
  /** How long the sound lasts; null if the provider does not tell. */
  readonly seconds: number | null;
  /** Empty if the provider does not tell when words are said. */
  readonly words: readonly TimedText[];
  readonly usage: ReportedUsage | null;
}

/** The report of a provider that tells how long the sound lasts that it charges for. Null if that is no such number. */
export function reportedSeconds(seconds: unknown, raw: ReportedUsage["raw"]): ReportedUsage | null {
  const second = readSeconds(seconds);
  return second === null ? null : { quantities: { second }, input: "none", output: "none", reasoning: null, raw };
}

/** No sound lasts longer. */
const maxSeconds = 1e7;

/** Seconds to the millisecond; null if the value is no such number. */
export function readSeconds(value: unknown): number | null {
  if (typeof value !== "number" || !(value >= 0 && value <= maxSeconds)) return null;
  return Math.round(value * 1_000) / 1_000;
}
