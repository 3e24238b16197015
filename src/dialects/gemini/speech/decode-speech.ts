import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";
import { nextTurn } from "../../../next-turn.ts";
import { AnswerFault } from "../../exchange.ts";
import { decodeBase64, decodedLength } from "../../pictures/base64-bytes.ts";
import { type CutAnswer, readCutAnswer } from "../../pictures/cut-strings.ts";
import type { CollectedSound } from "../../sound/collected-sound.ts";
import { samplesOf, wavHeader, wavHeaderBytes } from "../../sound/wav-file.ts";
import { readGeminiError } from "../errors.ts";
import { readGeminiUsage } from "../usage.ts";

const usualHertz = 24_000;
/** What sound is sampled at. */
const minHertz = 8_000;
const maxHertz = 192_000;

/** Characters that are decoded in one turn of the event loop: a multiple of 4. */
const stepCharacters = 2 << 20;

/**
 * Reads a `:generateContent` answer with sound, which is raw samples (`audio/L16;rate=24000`, little-endian all the same) or
 * WAV, in steps, and gives it in the format that was asked for. Rejects with an `AnswerFault` if it has no sound.
 */
export async function decodeSpeech(answer: Uint8Array, format: "wav" | "pcm"): Promise<CollectedSound> {
  const cut = await readCutAnswer(answer);
  const body = cut.value;
  const error = readGeminiError(body);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  if (!isObject(body)) throw new AnswerFault("The answer is not an object.");
  const sound = findSound(body, cut);
  if (sound === null) throw new AnswerFault(`The answer has no sound${reasonOf(body)}.`);
  return { sound: await inFormat(sound, format), usage: readGeminiUsage(body.usageMetadata) };
}

interface Sound {
  readonly base64: Uint8Array;
  readonly mimeType: string;
}

/** The first sound of the first candidate that has one. */
function findSound({ candidates }: JsonObject, cut: CutAnswer): Sound | null {
  for (const candidate of listOrEmpty(candidates)) {
    const content = isObject(candidate) && isObject(candidate.content) ? candidate.content : {};
    for (const part of listOrEmpty(content.parts)) {
      if (!isObject(part) || !isObject(part.inlineData)) continue;
      const base64 = cut.bytesOf(part.inlineData.data);
      if (base64 === null || base64.length === 0) continue;
      return { base64, mimeType: stringOrNull(part.inlineData.mimeType) ?? "" };
    }
  }
  return null;
}

async function inFormat({ base64, mimeType }: Sound, format: "wav" | "pcm"): Promise<Uint8Array> {
  const isWav = Buffer.from(decodeBase64(base64, 0, 8)).toString("latin1", 0, 4) === "RIFF";
  if (isWav) {
    const file = await decoded(base64, 0);
    return format === "wav" ? file : samplesOf(file);
  }
  if (!/^$|^audio\/(?:l16|pcm)\b/i.test(mimeType)) {
    throw new AnswerFault("The provider's sound is in a format that was not asked for.");
  }
  const hertz = readRate(mimeType);
  if (format === "pcm") return decoded(base64, 0);
  const file = await decoded(base64, wavHeaderBytes);
  file.set(wavHeader(file.length - wavHeaderBytes, { hertz, channels: 1, bitsPerSample: 16 }));
  return file;
}

function readRate(mimeType: string): number {
  const written = /\brate=(\d+)/i.exec(mimeType)?.[1];
  if (written === undefined) return usualHertz;
  const hertz = Number(written);
  if (hertz >= minHertz && hertz <= maxHertz) return hertz;
  throw new AnswerFault("The provider's sound has a sample rate that no sound has.");
}

/** The bytes of base64, after so many that are left free. They are decoded in place, so that no copy is held beside them. */
async function decoded(base64: Uint8Array, free: number): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafe(free + decodedLength(base64));
  let at = free;
  for (let from = 0; from < base64.length; from += stepCharacters) {
    if (from > 0) await nextTurn();
    const step = decodeBase64(base64, from, Math.min(from + stepCharacters, base64.length));
    bytes.set(step, at);
    at += step.length;
  }
  if (at < bytes.length) throw new AnswerFault("The provider's sound is not valid base64.");
  return bytes;
}

/** Why there is no sound, if the answer says so. */
function reasonOf({ promptFeedback, candidates }: JsonObject): string {
  const [first] = listOrEmpty(candidates);
  const blocked = isObject(promptFeedback) ? stringOrNull(promptFeedback.blockReason) : null;
  const reason = blocked ?? (isObject(first) ? stringOrNull(first.finishReason) : null);
  return reason === null ? "" : ` (${reason.slice(0, 64)})`;
}
