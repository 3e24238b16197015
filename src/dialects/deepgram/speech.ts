import { carried, emulated, ignored, refused } from "../../conversation/fields/support.ts";
import { fitSpeech } from "../../operations/speech/fit-speech.ts";
import type { SpeechCapabilities, SpeechFormat, SpeechProvider } from "../../operations/speech/speech.ts";
import { soundAnswer, soundExchange, soundNameOf } from "../sound/sound-exchange.ts";
import { SoundStream } from "../sound/sound-stream.ts";
import { readDeepgramError } from "./errors.ts";
import { voiceModelOf } from "./voice-model.ts";

const capabilities: SpeechCapabilities = {
  formats: { mp3: carried, opus: carried, aac: carried, flac: carried, wav: carried, pcm: carried },
  ownVoice: refused("Deepgram has no voices of its customers' own."),
  instructions: ignored,
  speed: carried,
  speedRange: { min: 0.7, max: 1.5 },
  events: emulated("the bytes as events"),
  otherFields: ignored,
  maxCharacters: 2_000,
};

/** Raw samples come at the rate that OpenAI's have. */
const encodings: Readonly<Record<SpeechFormat, Readonly<Record<string, string>>>> = {
  mp3: { encoding: "mp3" },
  opus: { encoding: "opus", container: "ogg" },
  aac: { encoding: "aac" },
  flac: { encoding: "flac" },
  wav: { encoding: "linear16", container: "wav", sample_rate: "24000" },
  pcm: { encoding: "linear16", container: "none", sample_rate: "24000" },
};

/** Puts a request to `/v1/speak`. */
export const speechProvider: SpeechProvider = {
  capabilities,
  exchange(request, model) {
    const { format, speed, warnings } = fitSpeech(request, capabilities);
    const query = new URLSearchParams({ model: voiceModelOf(model, request.voice), ...encodings[format] });
    if (speed !== undefined) query.set("speed", String(speed));
    return soundExchange({
      request: {
        dialect: "deepgram",
        method: "POST",
        path: `/v1/speak?${query.toString()}`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text: request.input }),
      },
      warnings,
      readError: readDeepgramError,
      open: () => soundAnswer(new SoundStream(soundNameOf(format)), request.stream),
    });
  },
};
