import { unsupportedParameter } from "../../errors.ts";
import type { SpeechCapabilities, SpeechFormat, SpeechRequest } from "./speech.ts";
import { speechFormats } from "./speech.ts";

/** A request as far as a provider can carry it. */
export interface FittedSpeech {
  readonly format: SpeechFormat;
  /** Undefined: the usual speed. */
  readonly speed: number | undefined;
  readonly instructions: string | undefined;
  /** The paths of the caller's fields that the provider will not see. */
  readonly warnings: readonly string[];
}

/** OpenAI's own fields. */
const knownFields: ReadonlySet<string> = new Set([
  "model",
  "input",
  "voice",
  "instructions",
  "response_format",
  "speed",
  "stream_format",
]);

/**
 * Holds a request against what a provider can do: the one place that decides on refusing and warning.
 * Throws a 400 that names the field.
 */
export function fitSpeech(request: SpeechRequest, capabilities: SpeechCapabilities): FittedSpeech {
  const { maxCharacters, speedRange } = capabilities;
  if (maxCharacters !== null && request.characters > maxCharacters) {
    throw unsupportedParameter("input", `This provider speaks at most ${maxCharacters} characters in one request.`);
  }
  const warnings: string[] = [];
  const check = (field: string, support: SpeechCapabilities["speed"]): boolean => {
    if (support.status === "refused") throw unsupportedParameter(field, support.why);
    if (support.status === "ignored") warnings.push(field);
    return support.status !== "ignored";
  };
  const format = formatFor(request, capabilities);
  check("response_format", capabilities.formats[format]);
  if (request.isOwnVoice) check("voice.id", capabilities.ownVoice);
  const isInstructed = request.instructions !== undefined && check("instructions", capabilities.instructions);
  const speed = request.speed === 1 ? undefined : request.speed;
  const isPaced = speed !== undefined && check("speed", capabilities.speed);
  if (isPaced && (speed < speedRange.min || speed > speedRange.max)) {
    throw unsupportedParameter("speed", `This provider speaks at a speed from ${speedRange.min} to ${speedRange.max}.`);
  }
  if (request.stream) check("stream_format", capabilities.events);
  for (const name in request.body) {
    if (!knownFields.has(name) && request.body[name] !== null) check(name, capabilities.otherFields);
  }
  return {
    format,
    speed: isPaced ? speed : undefined,
    instructions: isInstructed ? request.instructions : undefined,
    warnings,
  };
}

/** The format that was asked for; if none was, MP3 as at OpenAI, or WAV at a provider that has no MP3. */
function formatFor({ format }: SpeechRequest, { formats }: SpeechCapabilities): SpeechFormat {
  if (format === undefined) return formats.mp3.status === "refused" ? "wav" : "mp3";
  const known = speechFormats.find((name) => name === format);
  if (known === undefined) {
    throw unsupportedParameter("response_format", `This provider has no format '${format.slice(0, 100)}'.`);
  }
  return known;
}
