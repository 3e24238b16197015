import { draw } from "../pictures/draw.ts";
import { writePng } from "../pictures/png.ts";
import type { Pixels } from "./sizes.ts";
import type { JobScript } from "./job-script.ts";
import { writeFilm } from "../film/write-film.ts";
import { type MadeFile, madeFile } from "./made-files.ts";

export type MadeKind = "picture" | "film";

/** What a job is asked to make. */
export interface AskedFiles {
  readonly kind: MadeKind;
  readonly count: number;
  readonly text: string;
  readonly pixels: Pixels;
  /** Of a film. */
  readonly seconds: number;
}

/**
 * The files of a job, as its script changes them. All pictures are PNG, whatever the vendor would call them.
 */
export function jobFiles(jobId: string, script: JobScript, asked: AskedFiles): readonly MadeFile[] {
  const { kind, count, text, pixels, seconds } = asked;
  const isFilm = kind === "film";
  return Array.from({ length: script.makes ?? count }, (_, index) =>
    madeFile(jobId, `${index}.${isFilm ? "mp4" : "png"}`, {
      pixels,
      contentType: isFilm ? "video/mp4" : "image/png",
      bytes: () =>
        isFilm
          ? writeFilm({ prompt: text, seconds, ...pixels })
          : writePng(draw({ text: `${text} ${index}`, ...pixels })),
      fault: script.file,
    }),
  );
}
