import type { Call } from "../dialect.ts";
import { isObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { speechCall } from "../sound/speech-call.ts";
import type { SoundFormat } from "../sound/write-sound.ts";

const parameters: ReadonlySet<string> = new Set([
  "model",
  "encoding",
  "container",
  "sample_rate",
  "bit_rate",
  "speed",
  "callback",
  "callback_method",
  "mip_opt_out",
  "tag",
]);

/** The containers of each encoding; the first is the usual one. */
const containers: Readonly<Record<string, readonly string[]>> = {
  linear16: ["wav", "none"],
  mulaw: ["wav", "none"],
  alaw: ["wav", "none"],
  mp3: ["none"],
  opus: ["ogg"],
  flac: ["none"],
  aac: ["none"],
};

const fixedRate: ReadonlySet<string> = new Set(["mp3", "opus", "aac"]);
const maxCharacters = 2_000;

/** Reads a request for speech. Throws Deepgram's error if it is invalid. */
export function readSpeechCall(body: string, query: URLSearchParams): Call {
  for (const name of query.keys()) {
    if (!parameters.has(name)) throw refusal("INVALID_QUERY_PARAMETER", `Unknown query parameter: ${name}`);
  }
  const text = textOf(body);
  if ([...text].length > maxCharacters) {
    throw new Refusal(413, `Input text exceeds maximum character limit of ${maxCharacters}.`, {
      code: "PAYLOAD_ERROR",
    });
  }
  return speechCall({
    model: query.get("model") ?? "sandbox-asteria-en",
    text,
    format: formatOf(query),
    speed: speedOf(query),
  });
}

function textOf(body: string): string {
  let request: unknown = null;
  try {
    request = JSON.parse(body);
  } catch {
    // Refused below.
  }
  const names = isObject(request) ? Object.keys(request) : [];
  if (isObject(request) && names.length === 1 && typeof request["text"] === "string" && request["text"] !== "") {
    return request["text"];
  }
  throw refusal("PAYLOAD_ERROR", "Failed to deserialize JSON payload. Please specify exactly one of text or url.");
}

function formatOf(query: URLSearchParams): SoundFormat {
  const encoding = query.get("encoding") ?? "mp3";
  const known = containers[encoding];
  if (known === undefined) throw refusal("INVALID_QUERY_PARAMETER", `Invalid encoding: ${encoding}`);
  const container = query.get("container") ?? known[0] ?? "none";
  if (!known.includes(container)) {
    throw refusal("UNSUPPORTED_AUDIO_FORMAT", `Container ${container} is not possible with encoding ${encoding}.`);
  }
  if (fixedRate.has(encoding) && query.has("sample_rate")) {
    throw refusal("UNSUPPORTED_AUDIO_FORMAT", `sample_rate is not configurable with encoding ${encoding}.`);
  }
  if (encoding === "mp3") return "mp3";
  if (encoding === "linear16") return container === "wav" ? "wav" : "pcm";
  throw refusal("UNSUPPORTED_AUDIO_FORMAT", "The sandbox makes mp3 and linear16 only.");
}

function speedOf(query: URLSearchParams): number | undefined {
  const written = query.get("speed");
  if (written === null) return undefined;
  const speed = Number(written);
  if (speed >= 0.7 && speed <= 1.5) return speed;
  throw refusal("SPEED_OUT_OF_RANGE", "speed must be from 0.7 to 1.5.");
}

function refusal(code: string, message: string): Refusal {
  return new Refusal(400, message, { code });
}
