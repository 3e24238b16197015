import type { Call, Frame } from "../dialect.ts";
import { readParts, type SandboxFormPart, textOfPart } from "../form.ts";
import { invalidValue, missing, oneOf } from "../openai-chat/check-value.ts";
import { chatError } from "../openai-chat/errors.ts";
import { Refusal } from "../refusal.ts";
import type { Script } from "../script/script.ts";
import type { Heard } from "../sound/hear.ts";
import { transcriptionCall } from "../sound/transcription-call.ts";
import { countTokens } from "../tokens.ts";
import { writeTranscript } from "./write-transcript.ts";

const parameters: Readonly<Record<"transcribe" | "translate", ReadonlySet<string>>> = {
  transcribe: new Set([
    "file",
    "model",
    "chunking_strategy",
    "include",
    "keywords",
    "known_speaker_names",
    "known_speaker_references",
    "language",
    "languages",
    "prompt",
    "response_format",
    "sandbox",
    "stream",
    "temperature",
    "timestamp_granularities",
  ]),
  translate: new Set(["file", "model", "prompt", "response_format", "sandbox", "temperature"]),
};

const extensions = /\.(flac|mp3|mp4|mpeg|mpga|m4a|ogg|oga|wav|webm)$/i;
const maxFileBytes = 25 << 20;

/** Tokens that a second of sound is counted as. */
const tokensPerSecond = 10;

/** Reads a request for a transcript. Throws OpenAI's error if it is invalid. */
export function readTranscriptionCall(body: Uint8Array, contentType: string, task: "transcribe" | "translate"): Call {
  const parts = readParts(body, contentType);
  if (parts === null) throw new Refusal(400, "Could not parse multipart form");
  const unknown = parts.find(({ name }) => !parameters[task].has(name.replace(/\[.*/, "")));
  if (unknown !== undefined) {
    throw invalidValue(unknown.name, `Unknown parameter: '${unknown.name}'.`, "unknown_parameter");
  }
  const { bytes } = fileOf(parts);
  const value = (name: string) => textsOf(parts, name)[0];
  const model = value("model");
  if (model === undefined) throw missing("model");
  const format = value("response_format") ?? "json";
  oneOf(
    "json",
    "text",
    "srt",
    "verbose_json",
    "vtt",
    ...(task === "transcribe" ? ["diarized_json"] : []),
  )(format, "response_format");
  checkTemperature(value("temperature"));
  const granularities = textsOf(parts, "timestamp_granularities");
  for (const word of granularities) oneOf("word", "segment")(word, "timestamp_granularities");
  const isText = format === "text" || format === "srt" || format === "vtt";
  return transcriptionCall({
    model,
    sound: bytes,
    prompt: value("prompt") ?? "",
    directives: directivesOf(value("sandbox")),
    ...(isText && { contentType: "text/plain; charset=utf-8" }),
    write: (heard, script) => writeTranscript(heard, { task, format, granularities }, usageOf(heard, script)),
    ...(value("stream") === "true" && { writeStream: (heard: Heard, script: Script) => writeEvents(heard, script) }),
    errorFrame: (failure) => ({ event: "error", data: JSON.stringify(chatError(failure)) }),
  });
}

function fileOf(parts: readonly SandboxFormPart[]): SandboxFormPart {
  const [file] = parts.filter(({ name }) => name === "file");
  if (file === undefined || file.filename === null) throw missing("file");
  if (!extensions.test(file.filename)) {
    const supported = "['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm']";
    throw invalidValue("file", `Unrecognized file format. Supported formats: ${supported}`);
  }
  if (file.bytes.length > maxFileBytes) {
    throw new Refusal(413, `Maximum content size limit (${maxFileBytes}) exceeded.`, { param: "file" });
  }
  if (file.bytes.length < 100) {
    throw invalidValue("file", "Audio file is too short. Minimum audio length is 0.1 seconds.", "audio_too_short");
  }
  return file;
}

function textsOf(parts: readonly SandboxFormPart[], name: string): string[] {
  return parts.filter((part) => part.name === name || part.name === `${name}[]`).map(textOfPart);
}

function checkTemperature(written: string | undefined): void {
  if (written === undefined) return;
  const temperature = Number(written);
  if (!(temperature >= 0 && temperature <= 1)) {
    throw invalidValue("temperature", "Invalid 'temperature': expected a value from 0 to 1.");
  }
}

function directivesOf(written: string | undefined): unknown {
  if (written === undefined) return undefined;
  try {
    return JSON.parse(written) as unknown;
  } catch {
    throw invalidValue("sandbox", "Invalid sandbox directive: it is not JSON.");
  }
}

/** The usage that a script asks for; unless it does, tokens if it gives counts, else seconds, rounded up. */
function usageOf({ seconds, text }: Heard, { usage, tokens }: Script): unknown {
  if (usage === null || usage === "none") return undefined;
  if (typeof usage === "object") return usage;
  if (tokens === undefined) return { type: "duration", seconds: Math.ceil(seconds) };
  const input = tokens.input ?? Math.ceil(seconds * tokensPerSecond);
  const output = tokens.output ?? countTokens(text);
  return {
    type: "tokens",
    input_tokens: input,
    input_token_details: { text_tokens: 0, audio_tokens: input },
    output_tokens: output,
    total_tokens: input + output,
  };
}

function* writeEvents(heard: Heard, script: Script): Generator<Frame> {
  for (const [index, { text }] of heard.words.entries()) {
    yield { data: JSON.stringify({ type: "transcript.text.delta", delta: index === 0 ? text : ` ${text}` }) };
  }
  if (script.no_done !== true) {
    const usage = usageOf(heard, { tokens: {}, ...script });
    yield {
      data: JSON.stringify({ type: "transcript.text.done", text: heard.text, ...(usage !== undefined && { usage }) }),
    };
  }
}
