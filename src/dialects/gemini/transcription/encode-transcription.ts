import type { StreamedBody } from "../../../http/request-body.ts";
import type { TranscriptionRequest } from "../../../operations/transcription/transcription.ts";
import { languageName } from "../../transcript/language-name.ts";
import { sentSound } from "../../transcript/sent-sound.ts";

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

/** Three bytes are four characters: what is left of a piece waits for the next. */
async function* base64Of(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Uint8Array = new Uint8Array(0);
  for await (const piece of pieces) {
    const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    rest = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield Buffer.from(textOf(bytes.subarray(0, whole)), "latin1");
  }
  if (rest.length > 0) yield Buffer.from(textOf(rest), "latin1");
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
