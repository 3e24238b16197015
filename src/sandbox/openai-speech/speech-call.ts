import type { Call, Frame } from "../dialect.ts";
import { isObject, type JsonObject } from "../json.ts";
import { invalidValue, missing, number, oneOf, optional, text } from "../openai-chat/check-value.ts";
import { chatError } from "../openai-chat/errors.ts";
import { parseBody } from "../openai-chat/parse-body.ts";
import type { Script } from "../script/script.ts";
import { speechCall, spokenText } from "../sound/speech-call.ts";
import { secondsOf, tonesOf } from "../sound/tones.ts";
import { soundFormats, type SoundFormat, writeSound } from "../sound/write-sound.ts";
import { countTokens } from "../tokens.ts";

const parameters = [
  "input",
  "instructions",
  "model",
  "response_format",
  "sandbox",
  "speed",
  "stream_format",
  "voice",
] as const;

const voices = [
  "alloy",
  "ash",
  "ballad",
  "cedar",
  "coral",
  "echo",
  "fable",
  "marin",
  "nova",
  "onyx",
  "sage",
  "shimmer",
  "verse",
] as const;

const maxCharacters = 4_096;

/** Tokens that a second of sound is counted as. */
const tokensPerSecond = 20;

/** Reads a request for speech. Throws OpenAI's error if it is invalid. */
export function readSpeechCall(body: string): Call {
  const request = parseBody(body);
  checkRequest(request);
  const input = String(request["input"]);
  const format = formatOf(request["response_format"] ?? "mp3");
  const speed = typeof request["speed"] === "number" ? request["speed"] : 1;
  return speechCall({
    model: String(request["model"]),
    text: input,
    format,
    speed,
    directives: request["sandbox"],
    ...(request["stream_format"] === "sse" && {
      writeStream: (script) => writeEvents(input, format, speed, script),
    }),
    errorFrame: (failure) => ({ event: "error", data: JSON.stringify(chatError(failure)) }),
  });
}

function checkRequest(request: JsonObject): void {
  const unknown = Object.keys(request).find((name) => !parameters.some((known) => known === name));
  if (unknown !== undefined) {
    throw invalidValue(unknown, `Unknown parameter: '${unknown.slice(0, 100)}'.`, "unknown_parameter");
  }
  for (const name of ["model", "input", "voice"]) if (request[name] === undefined) throw missing(name);
  text(request["model"], "model");
  const input = text(request["input"], "input");
  if (input === "") throw invalidValue("input", "Invalid 'input': string too short.", "string_below_min_length");
  if ([...input].length > maxCharacters) {
    const message = `Invalid 'input': string too long. Expected a string with maximum length ${maxCharacters}.`;
    throw invalidValue("input", message, "string_above_max_length");
  }
  checkVoice(request["voice"]);
  optional((value, path) => void text(value, path))(request["instructions"], "instructions");
  optional(number(0.25, 4))(request["speed"], "speed");
  optional((value, path) => void oneOf("mp3", "opus", "aac", "flac", "wav", "pcm")(value, path))(
    request["response_format"],
    "response_format",
  );
  optional((value, path) => void oneOf("audio", "sse")(value, path))(request["stream_format"], "stream_format");
}

function checkVoice(voice: unknown): void {
  if (isObject(voice)) text(voice["id"], "voice.id");
  else oneOf(...voices)(voice, "voice");
}

function formatOf(value: unknown): SoundFormat {
  const format = soundFormats.find((known) => known === value);
  if (format !== undefined) return format;
  throw invalidValue("response_format", `The sandbox makes ${soundFormats.join(", ")} only.`);
}

function* writeEvents(input: string, format: SoundFormat, speed: number, script: Script): Generator<Frame> {
  const said = spokenText(input);
  for (const part of writeSound(said, format, speed).parts) {
    const audio = Buffer.from(part).toString("base64");
    yield { data: JSON.stringify({ type: "speech.audio.delta", audio }) };
  }
  if (script.no_done !== true) {
    const usage = usageOf(said, speed, script);
    yield { data: JSON.stringify({ type: "speech.audio.done", ...(usage !== undefined && { usage }) }) };
  }
}

function usageOf(said: string, speed: number, { usage, tokens }: Script): unknown {
  if (usage === null || usage === "none") return undefined;
  if (typeof usage === "object") return usage;
  const input = tokens?.input ?? countTokens(said);
  const output = tokens?.output ?? Math.ceil(secondsOf(tonesOf(said, speed)) * tokensPerSecond);
  return { input_tokens: input, output_tokens: output, total_tokens: input + output };
}
