import type { FormFile } from "../../multipart/form.ts";
import { nextTurn } from "../../next-turn.ts";
import { createSoundMeter } from "./create-meter.ts";
import { sniffedBytes, sniffSound, type SoundName } from "./sound-type.ts";
import { readWavLayout } from "./wav-file.ts";

/** What the bytes of a file tell of its sound. */
export interface FileSound {
  /** `unknown`: it may be sound of a kind that the gateway does not know. */
  readonly name: SoundName;
  /** How long it lasts; null if that cannot be told. */
  readonly seconds: number | null;
}

/** Bytes that are no sound take longest: others are served in between. */
const bytesPerTurn = 16 << 10;
const maxTurnMs = 5;

/** Formats whose beginning tells how long they last. */
const toldByHead: ReadonlySet<SoundName> = new Set(["wav", "flac"]);

/**
 * Reads how long the sound of a file lasts, as it is stored: none of it is kept. Of formats that say it at their beginning only
 * that is read.
 */
export async function readFileSound({ stream, size }: Pick<FormFile, "stream" | "size">): Promise<FileSound> {
  let name: SoundName | null = null;
  let meter = createSoundMeter("unknown");
  let turnBegan = performance.now();
  for await (const piece of stream()) {
    if (name === null) {
      const found = sniffSound(piece.subarray(0, sniffedBytes));
      name = found === null || found === "text" ? "unknown" : found;
      if (name === "wav") return { name, seconds: wavSeconds(piece, size) };
      if (name === "unknown") break;
      meter = createSoundMeter(name);
    }
    for (let at = 0; at < piece.length; at += bytesPerTurn) {
      meter.push(piece.subarray(at, at + bytesPerTurn));
      if (performance.now() - turnBegan < maxTurnMs) continue;
      await nextTurn();
      turnBegan = performance.now();
    }
    if (toldByHead.has(name)) break;
  }
  return { name: name ?? "unknown", seconds: meter.seconds() };
}

function wavSeconds(beginning: Uint8Array, size: number): number | null {
  const layout = readWavLayout(beginning);
  if (layout === null) return null;
  return Math.max(0, Math.min(size - layout.dataAt, layout.dataBytes)) / layout.bytesPerSecond;
}
