import type { AnswerHead, AnswerStream, Exchange } from "../exchange.ts";
import { wholeOnly } from "../exchanges/whole-only.ts";
import { asSpeechEvents } from "./speech-events.ts";
import type { SoundName } from "./sound-type.ts";

/** An exchange whose answer is sound, whatever the provider says of its type. */
export function soundExchange(
  exchange: Pick<Exchange, "request" | "warnings" | "readError"> & {
    readonly open: (head: AnswerHead) => AnswerStream;
  },
): Exchange {
  const { request, warnings, readError, open } = exchange;
  return {
    ...wholeOnly({
      request,
      warnings,
      readError,
      readWhole() {
        throw new Error("Sound is passed on in pieces.");
      },
    }),
    openBytes: open,
  };
}

/** Sound for a caller: as bytes, or as OpenAI's events. */
export function soundAnswer(sound: AnswerStream, asEvents: boolean): AnswerStream {
  return asEvents ? asSpeechEvents(sound) : sound;
}

const names: Readonly<Record<string, SoundName>> = {
  mp3: "mp3",
  opus: "ogg",
  aac: "aac",
  flac: "flac",
  wav: "wav",
  pcm: "pcm",
};

/** What sound of a format is, by its name in a request. */
export function soundNameOf(format: string): SoundName {
  return names[format] ?? "unknown";
}
