import type { TimedText } from "./transcript.ts";

/** Segments as SubRip (SRT). */
export function writeSrt(segments: readonly TimedText[]): string {
  const cues = segments.map(
    ({ text, start, end }, index) => `${index + 1}\n${clock(start, ",")} --> ${clock(end, ",")}\n${oneLine(text)}\n`,
  );
  return cues.join("\n");
}

/** Segments as WebVTT. */
export function writeVtt(segments: readonly TimedText[]): string {
  const cues = segments.map(
    ({ text, start, end }) => `${clock(start, ".")} --> ${clock(end, ".")}\n${escapeVtt(oneLine(text))}\n`,
  );
  return ["WEBVTT\n", ...cues].join("\n");
}

/** `00:01:02.345` */
function clock(seconds: number, point: "," | "."): string {
  const all = Math.round(seconds * 1_000);
  const digits = (value: number, width = 2) => String(value).padStart(width, "0");
  const [hours, minutes] = [Math.floor(all / 3_600_000), Math.floor(all / 60_000) % 60];
  const whole = `${digits(hours)}:${digits(minutes)}:${digits(Math.floor(all / 1_000) % 60)}`;
  return `${whole}${point}${digits(all % 1_000, 3)}`;
}

/** A blank line would end the cue. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function escapeVtt(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
