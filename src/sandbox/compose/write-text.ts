import type { Prompt } from "../prompt.ts";
import { isFault } from "../fault.ts";
import type { Script } from "../script.ts";
import { charactersPerToken, countTokens, firstTokens } from "../tokens.ts";
import { echoText } from "./echo.ts";
import { cutPieces, splitIntoPieces, splitIntoWords } from "./split-text.ts";

/** The text as it will be streamed, and whether the token limit cut it. */
export interface WrittenText {
  readonly reasoning: string;
  readonly pieces: readonly string[];
  readonly cut: boolean;
}

/** Writes the answer's text: the script's or an echo, ended by stop sequences and by the token limit, cut into pieces. */
export function writeText(prompt: Prompt, script: Script, reasoning: string): WrittenText {
  if (isFault(script.fault, "huge_frame")) {
    const characters = Math.round((script.fault.megabytes ?? 8) * 1_000_000);
    return { reasoning, pieces: ["x".repeat(characters)], cut: false };
  }
  const whole = wholeText(prompt, script);
  // A script that names its finish reason wants its text as it stands.
  const stopped = script.finish_reason === undefined ? stopAt(whole, prompt.stop) : whole;
  const limit = script.finish_reason === undefined ? prompt.maxTokens : null;
  const thought = limit === null ? reasoning : firstTokens(reasoning, limit);
  const text = limit === null ? stopped : firstTokens(stopped, Math.max(limit - countTokens(thought), 0));
  return { reasoning: thought, pieces: cutIntoPieces(text, script), cut: text !== stopped || thought !== reasoning };
}

function wholeText(prompt: Prompt, script: Script): string {
  if (Array.isArray(script.chunks)) return script.chunks.join("");
  if (script.text !== undefined) return script.text;
  const echo = echoText(prompt);
  if (typeof script.chunks !== "number" || prompt.format.kind !== "text") return echo;
  return fill(echo, script.chunks * charactersPerToken);
}

/** Repeats a text until it is long enough for the pieces asked for. */
function fill(text: string, length: number): string {
  const sentence = `${text} `;
  return text.length >= length ? text : sentence.repeat(Math.ceil(length / sentence.length)).slice(0, length);
}

function stopAt(text: string, stops: readonly string[]): string {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((position) => position >= 0);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}

function cutIntoPieces(text: string, script: Script): readonly string[] {
  if (Array.isArray(script.chunks)) return cutPieces(script.chunks, text);
  return typeof script.chunks === "number" ? splitIntoPieces(text, script.chunks) : splitIntoWords(text);
}
