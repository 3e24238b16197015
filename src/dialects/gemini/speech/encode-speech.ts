import type { JsonObject } from "../../../json/values.ts";
import type { FittedSpeech } from "../../../operations/speech/fit-speech.ts";
import type { SpeechRequest } from "../../../operations/speech/speech.ts";

/** Models that are told how to speak within the text itself; later ones have a field for it, and speak WAV by themselves. */
const toldInText = /^(?:models\/)?gemini-(?:2\.5|3\.1)-/;

/** The body of a `:generateContent` request that asks for sound. */
export function encodeSpeech(
  { input, voice }: SpeechRequest,
  { format, instructions }: FittedSpeech,
  model: string,
): JsonObject {
  const isTold = toldInText.test(model);
  const styled = instructions === undefined ? {} : { speechMetadata: { style: instructions } };
  const part = isTold
    ? { text: instructions === undefined ? input : `${instructions}: ${input}` }
    : { text: input, ...styled };
  return {
    contents: [{ role: "user", parts: [part] }],
    generationConfig: {
      responseModalities: ["AUDIO"],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: voice } } },
      ...(!isTold && {
        responseFormat: { audio: { mimeType: format === "pcm" ? "AUDIO_L16" : "AUDIO_WAV" } },
      }),
    },
  };
}
