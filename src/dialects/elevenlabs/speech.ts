import { carried, emulated, ignored, refused } from "../../conversation/fields/support.ts";
import { invalidParameter } from "../../errors.ts";
import { fitSpeech } from "../../operations/speech/fit-speech.ts";
import type { SpeechCapabilities, SpeechFormat, SpeechProvider } from "../../operations/speech/speech.ts";
import { soundAnswer, soundExchange, soundNameOf } from "../sound/sound-exchange.ts";
import { SoundStream } from "../sound/sound-stream.ts";
import { readElevenLabsError } from "./errors.ts";

const capabilities: SpeechCapabilities = {
  formats: {
    mp3: carried,
    opus: carried,
    aac: refused("ElevenLabs has no AAC."),
    flac: refused("ElevenLabs has no FLAC."),
    wav: carried,
    pcm: carried,
  },
  ownVoice: carried,
  instructions: ignored,
  speed: carried,
  speedRange: { min: 0.7, max: 1.2 },
  events: emulated("the bytes as events"),
  otherFields: ignored,
  maxCharacters: null,
};

/** ElevenLabs' words for the formats that it has. */
const outputFormats: Readonly<Partial<Record<SpeechFormat, string>>> = {
  mp3: "mp3_44100_128",
  opus: "opus_48000_64",
  wav: "wav_24000",
  pcm: "pcm_24000",
};

/** Puts a request to `/v1/text-to-speech/{voice}/stream`. The caller's voice is the id of one of ElevenLabs' voices. */
export const speechProvider: SpeechProvider = {
  capabilities,
  exchange(request, model) {
    const { format, speed, warnings } = fitSpeech(request, capabilities);
    // Dots alone would lead to another path.
    if (/^\.{1,2}$/.test(request.voice)) throw invalidParameter("voice", "the id of a voice");
    const query = new URLSearchParams({ output_format: outputFormats[format] ?? format });
    return soundExchange({
      request: {
        dialect: "elevenlabs",
        method: "POST",
        path: `/v1/text-to-speech/${encodeURIComponent(request.voice)}/stream?${query.toString()}`,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          text: request.input,
          model_id: model,
          ...(speed !== undefined && { voice_settings: { speed } }),
        }),
      },
      warnings,
      readError: readElevenLabsError,
      open: () => soundAnswer(new SoundStream(soundNameOf(format)), request.stream),
    });
  },
};
