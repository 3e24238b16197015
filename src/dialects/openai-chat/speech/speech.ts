import { invalidParameter, missingParameter } from "../../../errors.ts";
import { fieldNames, refuseOtherCase } from "../../../json/field-names.ts";
import { readJsonObject } from "../../../json/read-object.ts";
import { isObject } from "../../../json/values.ts";
import { jsonText } from "../../../operations/conversation.ts";
import type { Operation } from "../../../operations/operation.ts";
import { checkSpeechModel, speechCapabilities } from "../../../operations/speech/check-model.ts";
import { expectSpeech } from "../../../operations/speech/expect-speech.ts";
import { estimateRead, measureSpeech } from "../../../operations/speech/measure-speech.ts";
import type { SpeechRequest } from "../../../operations/speech/speech.ts";
import { speechExchange } from "../../../operations/speech/speech-exchange.ts";
import { readModelName } from "../../fields/model-name.ts";
import { optionalNumber, optionalString, optionalWord, requiredString } from "../../fields/read-field.ts";
import { openaiAttribution } from "../attribution.ts";
import { openaiErrorFormat } from "../errors.ts";

/** `POST /v1/audio/speech`: a text as sound, sent as it comes, or as events. */
export const speech: Operation<SpeechRequest> = {
  endpoint: "audio_speech",
  paths: ["/v1/audio/speech"],
  method: "POST",
  body: "json",
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  read: (body) => readSpeechRequest(jsonText(body)),
  capabilities: speechCapabilities,
  checkModel: checkSpeechModel,
  expectedUsage: expectSpeech,
  measure: measureSpeech,
  // The limit of a text to speak is one of characters, which `checkModel` knows.
  size: () => 0,
  estimateInput: estimateRead,
  attribution: ({ body }) => openaiAttribution(body),
  exchange: speechExchange,
};

/** In Unicode code points. */
const maxInstructions = 4_096;
const minSpeed = 0.25;
const maxSpeed = 4;

const changeable: ReadonlySet<string> = new Set(["model"]);
const knownFields = fieldNames([
  "model",
  "input",
  "voice",
  "instructions",
  "response_format",
  "speed",
  "stream_format",
  "user",
]);

/** Reads the body of a request for speech. Throws a 400 that names the field. */
export function readSpeechRequest(text: string): SpeechRequest {
  const { body, members } = readJsonObject(text, changeable);
  refuseOtherCase(body, knownFields);
  const model = readModelName(body.model);
  const input = requiredString(body.input, "input");
  if (input.trim() === "") throw invalidParameter("input", "a text that is not empty");
  const instructions = optionalString(body.instructions, "instructions");
  if (instructions !== undefined && countCharacters(instructions) > maxInstructions) {
    throw invalidParameter("instructions", `at most ${maxInstructions} characters`);
  }
  const speed = optionalNumber(body.speed, "speed");
  if (speed !== undefined && (speed < minSpeed || speed > maxSpeed)) {
    throw invalidParameter("speed", `a number from ${minSpeed} to ${maxSpeed}`);
  }
  return {
    model,
    stream: optionalWord(body.stream_format, "stream_format", ["audio", "sse"]) === "sse",
    text,
    members,
    body,
    input,
    characters: countCharacters(input),
    ...readVoice(body.voice),
    instructions: instructions === "" ? undefined : instructions,
    format: readFormat(body.response_format),
    speed,
  };
}

/** A name, or the id of a caller's own voice: `{"id": "voice_1234"}`. */
function readVoice(value: unknown): Pick<SpeechRequest, "voice" | "isOwnVoice"> {
  if (value === undefined || value === null) throw missingParameter("voice");
  const name = isObject(value) ? requiredString(value.id, "voice.id") : value;
  if (typeof name !== "string") throw invalidParameter("voice", "a string, or an object with an id");
  const isOwnVoice = isObject(value);
  // It becomes a part of some providers' paths.
  if (!/^[^\p{C}]{1,200}$/u.test(name)) {
    throw invalidParameter(isOwnVoice ? "voice.id" : "voice", "1 to 200 characters, without control characters");
  }
  return { voice: name, isOwnVoice };
}

/** Another word than OpenAI's may be one that the provider knows. */
function readFormat(value: unknown): string | undefined {
  const format = optionalString(value, "response_format");
  if (format === undefined || /^[\w.-]{1,64}$/.test(format)) return format;
  throw invalidParameter("response_format", "the name of a format, such as mp3, opus, aac, flac, wav or pcm");
}

/** Unicode code points. */
function countCharacters(text: string): number {
  let count = text.length;
  // Of a surrogate pair the second half is none of its own.
  for (let at = 0; at < text.length; at++) if ((text.codePointAt(at) ?? 0) > 0xffff) count--;
  return count;
}
