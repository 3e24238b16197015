import type { Call } from "../dialect.ts";
import { Refusal } from "../refusal.ts";
import type { Heard } from "../sound/hear.ts";
import { speakersOf } from "../sound/speakers.ts";
import { transcriptionCall } from "../sound/transcription-call.ts";

const parameters: ReadonlySet<string> = new Set([
  "callback",
  "callback_method",
  "custom_intent",
  "custom_intent_mode",
  "custom_topic",
  "custom_topic_mode",
  "detect_entities",
  "detect_language",
  "diarize",
  "diarize_model",
  "dictation",
  "encoding",
  "extra",
  "filler_words",
  "intents",
  "keyterm",
  "keywords",
  "language",
  "measurements",
  "mip_opt_out",
  "model",
  "multichannel",
  "numerals",
  "paragraphs",
  "profanity_filter",
  "punctuate",
  "redact",
  "replace",
  "search",
  "sentiment",
  "smart_format",
  "summarize",
  "tag",
  "topics",
  "utt_split",
  "utterances",
  "version",
]);

/** Reads a request for a transcript, whose body is the sound. Throws Deepgram's error if it is invalid. */
export function readTranscriptionCall(body: Uint8Array, query: URLSearchParams): Call {
  for (const name of query.keys()) {
    if (!parameters.has(name)) throw refusal("INVALID_QUERY_PARAMETER", `Unknown query parameter: ${name}`);
  }
  if (query.get("detect_language") === "true" && query.has("language")) {
    throw refusal("INVALID_QUERY_PARAMETER", "detect_language and language cannot both be given.");
  }
  if (body.length === 0)
    throw refusal("Bad Request", "Bad Request: failed to process audio: corrupt or unsupported data");
  const isDetected = query.get("detect_language") === "true";
  return transcriptionCall({
    model: query.get("model") ?? "sandbox-base",
    sound: body,
    write: (heard) => JSON.stringify(write(heard, body, isDetected, query.get("diarize") === "true")),
  });
}

function write({ text, words, seconds }: Heard, body: Uint8Array, isDetected: boolean, isDiarized: boolean) {
  const speakers = speakersOf(words);
  const timed = words.map((word, index) => ({
    word: word.text.toLowerCase().replace(/[.,!?]+$/, ""),
    start: word.start,
    end: word.end,
    confidence: 0.9,
    ...(isDiarized && { speaker: speakers[index], speaker_confidence: 0.8 }),
    punctuated_word: word.text,
  }));
  return {
    metadata: {
      transaction_key: "deprecated",
      request_id: "00000000-0000-4000-8000-000000000000",
      sha256: new Bun.CryptoHasher("sha256").update(body).digest("hex"),
      created: new Date(0).toISOString(),
      duration: seconds,
      channels: 1,
      models: ["sandbox"],
      model_info: {},
    },
    results: {
      channels: [
        {
          alternatives: [{ transcript: text, confidence: 0.9, words: timed }],
          ...(isDetected && { detected_language: "en", language_confidence: 0.98 }),
        },
      ],
    },
  };
}

function refusal(code: string, message: string): Refusal {
  return new Refusal(400, message, { code });
}
