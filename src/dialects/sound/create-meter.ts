import { createAdtsMeter } from "./duration/adts.ts";
import { createFlacMeter } from "./duration/flac.ts";
import { createMp3Meter } from "./duration/mp3.ts";
import { createMp4Meter } from "./duration/mp4.ts";
import { createOggMeter } from "./duration/ogg.ts";
import type { SoundMeter } from "./duration/sound-meter.ts";
import { createWavMeter } from "./duration/wav.ts";
import { createWebmMeter } from "./duration/webm.ts";
import { pcmBytesPerSecond, type SoundName } from "./sound-type.ts";

/** @param pcmRate bytes of raw samples in a second */
export function createSoundMeter(name: SoundName, pcmRate = pcmBytesPerSecond): SoundMeter {
  switch (name) {
    case "mp3":
      return createMp3Meter();
    case "aac":
      return createAdtsMeter();
    case "ogg":
      return createOggMeter();
    case "flac":
      return createFlacMeter();
    case "wav":
      return createWavMeter();
    case "mp4":
      return createMp4Meter();
    case "webm":
      return createWebmMeter();
    case "pcm":
      return createPcmMeter(pcmRate);
    default:
      return { push() {}, seconds: () => null };
  }
}

function createPcmMeter(bytesPerSecond: number): SoundMeter {
  let bytes = 0;
  return { push: ({ length }) => void (bytes += length), seconds: () => bytes / bytesPerSecond };
}
