import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";
import { parseBody } from "../../exchanges/through-neutral.ts";
import { AnswerFault } from "../../exchange.ts";
import type { CollectedSound } from "../../sound/collected-sound.ts";
import { samplesOf, wavOf } from "../../sound/wav-file.ts";
import { readGeminiError } from "../errors.ts";
import { readGeminiUsage } from "../usage.ts";

const usualHertz = 24_000;

/**
 * Reads a `:generateContent` answer with sound, which is raw samples (`audio/L16;rate=24000`, little-endian all the same) or
 * WAV, and gives it in the format that was asked for. Throws an `AnswerFault` if it has no sound.
 */
export function decodeSpeech(answer: Uint8Array, format: "wav" | "pcm"): CollectedSound {
  const body = parseBody(answer);
  const error = readGeminiError(body);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  if (!isObject(body)) throw new AnswerFault("The answer is not an object.");
  const blob = findSound(body);
  if (blob === null) throw new AnswerFault(`The answer has no sound${reasonOf(body)}.`);
  return { sound: inFormat(blob, format), usage: readGeminiUsage(body.usageMetadata) };
}

interface Sound {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** The first sound of the first candidate that has one. */
function findSound({ candidates }: JsonObject): Sound | null {
  for (const candidate of listOrEmpty(candidates)) {
    const content = isObject(candidate) && isObject(candidate.content) ? candidate.content : {};
    for (const part of listOrEmpty(content.parts)) {
      if (!isObject(part) || !isObject(part.inlineData)) continue;
      const { data, mimeType } = part.inlineData;
      if (typeof data !== "string" || data === "") continue;
      return { bytes: Buffer.from(data, "base64"), mimeType: stringOrNull(mimeType) ?? "" };
    }
  }
  return null;
}

function inFormat({ bytes, mimeType }: Sound, format: "wav" | "pcm"): Uint8Array {
  const isWav = Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "RIFF";
  if (isWav) return format === "wav" ? bytes : samplesOf(bytes);
  if (!/^$|^audio\/(?:l16|pcm)\b/i.test(mimeType)) {
    throw new AnswerFault("The provider's sound is in a format that was not asked for.");
  }
  if (format === "pcm") return bytes;
  const hertz = Number(/rate=(\d{4,6})/.exec(mimeType)?.[1] ?? usualHertz);
  return wavOf(bytes, { hertz, channels: 1, bitsPerSample: 16 });
}

/** Why there is no sound, if the answer says so. */
function reasonOf({ promptFeedback, candidates }: JsonObject): string {
  const [first] = listOrEmpty(candidates);
  const blocked = isObject(promptFeedback) ? stringOrNull(promptFeedback.blockReason) : null;
  const reason = blocked ?? (isObject(first) ? stringOrNull(first.finishReason) : null);
  return reason === null ? "" : ` (${reason.slice(0, 64)})`;
}
