import type { Call } from "../dialect.ts";
import { isObject, type JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { speechCall } from "../sound/speech-call.ts";
import type { SoundFormat } from "../sound/write-sound.ts";
import { fieldError } from "./errors.ts";

/** The fields of a request, which the sandbox holds callers to. */
const parameters: ReadonlySet<string> = new Set([
  "text",
  "model_id",
  "language_code",
  "voice_settings",
  "pronunciation_dictionary_locators",
  "seed",
  "previous_text",
  "next_text",
  "previous_request_ids",
  "next_request_ids",
  "use_pvc_as_ivc",
  "audio_effects",
  "apply_text_normalization",
  "apply_language_text_normalization",
]);

const settings: ReadonlySet<string> = new Set(["stability", "similarity_boost", "style", "use_speaker_boost", "speed"]);

const outputFormat = /^(mp3|wav|pcm|opus|ulaw|alaw)_\d+(_\d+)?$/;

const maxCharacters = 10_000;

/** Reads a request for speech. Throws ElevenLabs' error if it is invalid. */
export function readSpeechCall(body: string, voice: string, query: URLSearchParams): Call {
  const request = parse(body);
  const unknown = Object.keys(request).find((name) => !parameters.has(name));
  if (unknown !== undefined) throw fieldError(unknown, "Extra inputs are not permitted");
  const { text, model_id: model = "sandbox-speech", voice_settings: given } = request;
  if (typeof text !== "string") throw fieldError("text", "Field required");
  if (typeof model !== "string") throw fieldError("model_id", "Input should be a valid string");
  if (text.length > maxCharacters) {
    const message = `This request's text has ${text.length} characters and exceeds the limit of ${maxCharacters}.`;
    throw new Refusal(400, message, { code: "max_character_limit_exceeded" });
  }
  if (voice.startsWith("unknown")) {
    throw new Refusal(404, `A voice with voice_id ${voice} was not found.`, { code: "voice_not_found" });
  }
  return speechCall({ model, text, format: formatOf(query), speed: speedOf(given), contentType: "audio/mpeg" });
}

function parse(body: string): JsonObject {
  let request: unknown = null;
  try {
    request = JSON.parse(body);
  } catch {
    // Refused below.
  }
  if (isObject(request)) return request;
  throw fieldError("text", "JSON decode error");
}

function formatOf(query: URLSearchParams): SoundFormat {
  const word = query.get("output_format") ?? "mp3_44100_128";
  const [, name] = outputFormat.exec(word) ?? [];
  if (name === "mp3" || name === "wav" || name === "pcm") return name;
  if (name !== undefined) throw fieldError("output_format", "The sandbox makes mp3, wav and pcm only.");
  throw fieldError("output_format", "Input should be a known output format");
}

function speedOf(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  if (!isObject(given)) throw fieldError("voice_settings", "Input should be an object");
  const unknown = Object.keys(given).find((name) => !settings.has(name));
  if (unknown !== undefined) throw fieldError(unknown, "Extra inputs are not permitted");
  const { speed } = given;
  if (speed === undefined) return undefined;
  if (typeof speed === "number" && speed >= 0.7 && speed <= 1.2) return speed;
  throw fieldError("speed", "Invalid setting for speed received: it must be from 0.7 to 1.2.");
}
