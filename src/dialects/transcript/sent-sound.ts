import type { SentPart } from "../../multipart/write-form.ts";
import type { TranscriptionRequest } from "../../operations/transcription/transcription.ts";
import { soundTypes } from "../sound/sound-type.ts";

/** The file of a request as it is sent on: its type by its bytes, and a name by which providers tell it, if it has none. */
export function sentSound({ file, sound }: Pick<TranscriptionRequest, "file" | "sound">) {
  const { contentType, extension } = soundTypes[sound.name];
  const { filename, size, pass } = file;
  const isNamed = sound.name === "unknown" || /\.\w{2,5}$/.test(filename);
  return {
    filename: isNamed ? filename : `${filename}.${extension}`,
    contentType: sound.name === "unknown" ? file.contentType : contentType,
    size,
    // Each piece is sent before the next one is asked for.
    stream: pass,
  } satisfies Omit<Extract<SentPart, { filename: string }>, "name">;
}
