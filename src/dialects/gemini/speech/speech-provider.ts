import { carried, emulated, ignored, refused } from "../../../conversation/fields/support.ts";
import { fitSpeech } from "../../../operations/speech/fit-speech.ts";
import type { SpeechCapabilities, SpeechProvider, SpeechRequest } from "../../../operations/speech/speech.ts";
import { collectSound } from "../../sound/collected-sound.ts";
import { soundAnswer, soundExchange } from "../../sound/sound-exchange.ts";
import { SoundStream } from "../../sound/sound-stream.ts";
import { decodeGeminiError } from "../errors.ts";
import { modelPath } from "../fields.ts";
import { decodeSpeech } from "./decode-speech.ts";
import { encodeSpeech } from "./encode-speech.ts";

const noEncoding = refused("Gemini speaks WAV and PCM only.");

const capabilities: SpeechCapabilities = {
  formats: {
    mp3: noEncoding,
    opus: noEncoding,
    aac: noEncoding,
    flac: noEncoding,
    wav: emulated("a header before the samples"),
    pcm: carried,
  },
  ownVoice: refused("Gemini has no voices of its customers' own."),
  instructions: emulated("words before the text, or its style at models that have one"),
  speed: refused("Gemini speaks at one speed only. Ask for another one in the instructions."),
  speedRange: { min: 1, max: 1 },
  events: emulated("the bytes as events"),
  otherFields: ignored,
  maxCharacters: null,
};

/** Some eleven minutes of speech, which is what a model can say at once, are 42 MB of base64. */
const maxAnswerBytes = 64 << 20;
/** The rest of an answer, and the sound of a short text, which may begin and end with silence. */
const minAnswerBytes = 2 << 20;
/** A second of 24,000 samples in base64; no character takes longer. */
const answerBytesPerCharacter = (48_000 * 4) / 3;

/** What the sound of a text can take, in bytes. */
function maxBytesFor({ characters, instructions = "" }: SpeechRequest): number {
  return Math.min(minAnswerBytes + (characters + instructions.length) * answerBytesPerCharacter, maxAnswerBytes);
}

/** Puts a request to `:generateContent`, whose answer comes in one piece. The caller's voice is one of Gemini's names. */
export const speechProvider: SpeechProvider = {
  capabilities,
  exchange(request, model) {
    const fitted = fitSpeech(request, capabilities);
    const format = fitted.format === "pcm" ? "pcm" : "wav";
    return soundExchange({
      request: {
        dialect: "gemini",
        method: "POST",
        path: `${modelPath(model)}:generateContent`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify(encodeSpeech(request, fitted, model)),
      },
      warnings: fitted.warnings,
      readError: decodeGeminiError,
      open() {
        const read = (answer: Uint8Array) => decodeSpeech(answer, format);
        return soundAnswer(collectSound(new SoundStream(format), maxBytesFor(request), read), request.stream);
      },
    });
  },
};
