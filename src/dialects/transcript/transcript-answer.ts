import type { JsonObject } from "../../json/values.ts";
import type { WholeAnswer } from "../exchange.ts";
import type { SpeakerSegment } from "./speakers.ts";

/** The type of transcripts that are no JSON, as OpenAI has it for subtitles too. */
export const plainText = "text/plain; charset=utf-8";

/** A transcript in the form that was asked for, and what events would tell of it. */
export interface TranscriptAnswer extends WholeAnswer {
  readonly text: string;
  /** In OpenAI's form; null if none was reported. */
  readonly shownUsage: JsonObject | null;
  /** What its speakers say, if it was asked for by them and is to become events. */
  readonly segments?: readonly SpeakerSegment[];
}
