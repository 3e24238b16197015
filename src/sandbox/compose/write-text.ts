import type { Prompt } from "../prompt.ts";
import { isFault } from "../script/fault.ts";
import type { Script } from "../script/script.ts";
import { charactersPerToken, countTokens, firstTokens } from "../tokens.ts";
import { echoText } from "./echo.ts";
import { cutPieces, splitIntoPieces, splitIntoWords } from "./split-text.ts";

/** The text with its chunks, and what ended it: the token limit, a stop sequence, or neither. */
export interface WrittenText {
  readonly reasoning: string;
  readonly pieces: readonly string[];
  readonly cut: boolean;
  readonly stopSequence: string | null;
}

/** Creates the text of the answer: that of the script or an echo, ended by stop sequences and the token limit, in chunks. */
export function writeText(prompt: Prompt, script: Script, reasoning: string): WrittenText {
  if (isFault(script.fault, "huge_frame")) {
    const characters = Math.round((script.fault.megabytes ?? 8) * 1_000_000);
    return { reasoning, pieces: ["x".repeat(characters)], cut: false, stopSequence: null };
  }
  const whole = wholeText(prompt, script);
  // A script with a finish reason gets its text unchanged.
  const stop = script.finish_reason === undefined ? firstStop(whole, prompt.stop) : null;
  const stopped = stop === null ? whole : whole.slice(0, whole.indexOf(stop));
  const limit = script.finish_reason === undefined ? prompt.maxTokens : null;
  const thought = limit === null ? reasoning : firstTokens(reasoning, limit);
  const text = limit === null ? stopped : firstTokens(stopped, Math.max(limit - countTokens(thought), 0));
  const cut = text !== stopped || thought !== reasoning;
  return { reasoning: thought, pieces: cutIntoPieces(text, script), cut, stopSequence: cut ? null : stop };
}

function wholeText(prompt: Prompt, script: Script): string {
  if (Array.isArray(script.chunks)) return script.chunks.join("");
  if (script.text !== undefined) return script.text;
  const echo = echoText(prompt);
  if (typeof script.chunks !== "number" || prompt.format.kind !== "text") return echo;
  return fill(echo, script.chunks * charactersPerToken);
}

/** Repeats a text until it is long enough for the requested chunks. */
function fill(text: string, length: number): string {
  const sentence = `${text} `;
  return text.length >= length ? text : sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length);
}

/** Finds the first stop sequence in the text. */
function firstStop(text: string, stops: readonly string[]): string | null {
  const reached = stops.filter((stop) => text.includes(stop));
  return reached.toSorted((one, other) => text.indexOf(one) - text.indexOf(other))[0] ?? null;
}

function cutIntoPieces(text: string, script: Script): readonly string[] {
  if (Array.isArray(script.chunks)) return cutPieces(script.chunks, text);
  return typeof script.chunks === "number" ? splitIntoPieces(text, script.chunks) : splitIntoWords(text);
}
