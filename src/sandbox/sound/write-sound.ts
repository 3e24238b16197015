import { mp3Of } from "./mp3.ts";
import { samplesOf, wavOf } from "./samples.ts";
import { tonesOf } from "./tones.ts";

/** The formats that the sandbox can make. */
export const soundFormats = ["mp3", "wav", "pcm"] as const;

export type SoundFormat = (typeof soundFormats)[number];

/** Sound as a vendor sends it. */
export interface Sound {
  readonly contentType: string;
  /** One for each word, and one for a header. */
  readonly parts: Iterable<Uint8Array>;
}

const contentTypes: Readonly<Record<SoundFormat, string>> = {
  mp3: "audio/mpeg",
  wav: "audio/wav",
  pcm: "audio/pcm",
};

/** A text as tones. */
export function writeSound(text: string, format: SoundFormat, speed = 1): Sound {
  const tones = tonesOf(text, speed);
  const parts = { mp3: mp3Of, wav: wavOf, pcm: samplesOf }[format](tones);
  return { contentType: contentTypes[format], parts };
}
