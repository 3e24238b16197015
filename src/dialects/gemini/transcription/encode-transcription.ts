import type { StreamedBody } from "../../../http/request-body.ts";
import type { TranscriptionRequest } from "../../../operations/transcription/transcription.ts";
import { languageName } from "../../transcript/language-name.ts";
import { sentSound } from "../../transcript/sent-sound.ts";
import { base64Of } from "./base64.ts";

/** Google's own names of types, where they differ. */
const mimeTypes: Readonly<Record<string, string>> = { "audio/mpeg": "audio/mp3" };

/** The body of a request that asks for a transcript. The sound is put into base64 as it is sent, and never held as a whole. */
export function encodeTranscription(request: TranscriptionRequest): StreamedBody {
  const { contentType, size, stream } = sentSound(request);
  const words = instructions(request);
  const generationConfig = request.temperature === undefined ? {} : { temperature: request.temperature };
  const mimeType = mimeTypes[contentType] ?? contentType;
  const head = Buffer.from(
    `{"contents":[{"role":"user","parts":[${JSON.stringify({ text: words })},{"inlineData":{"mimeType":${JSON.stringify(mimeType)},"data":"`,
  );
  const tail = Buffer.from(`"}}]}],"generationConfig":${JSON.stringify(generationConfig)}}`);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* base64Of(stream());
    yield tail;
  }
  return {
    length: head.length + Math.ceil(size / 3) * 4 + tail.length,
    pieces: { [Symbol.asyncIterator]: pieces },
    texts: words,
  };
}

function instructions({ task, language, prompt }: TranscriptionRequest): string {
  const spoken = language === undefined ? "" : ` It is in ${capitalized(languageName(language))}.`;
  const asked =
    task === "translate"
      ? "Translate the speech in this audio into English."
      : "Transcribe the speech in this audio word for word, in its own language.";
  const hints = prompt === undefined ? "" : ` Context and spelling: ${prompt}`;
  return `${asked}${spoken} Answer with the ${task === "translate" ? "translation" : "transcript"} alone, and with nothing if there is no speech.${hints}`;
}

function capitalized(name: string): string {
  return name.replace(/^./u, (first) => first.toUpperCase());
}
