import { withoutMarkup } from "./without-markup.ts";

/** Text on one line, without tags of HTML, with entities decoded once, and without control characters. */
export function plainText(text: string): string {
  const bare = withoutMarkup(text).toWellFormed();
  return (untidy.test(bare) ? bare.replace(/[\p{Cc}\s]+/gu, " ") : bare).trim();
}

/** White space other than single spaces, or control characters. */
const untidy = /[^\S ]| {2}|[\u0000-\u001f\u007f-\u009f]/;

/** The same with line breaks kept, for whole pages. */
export function plainContent(text: string): string {
  const bare = withoutMarkup(text).toWellFormed();
  const lines = bare.includes("\r") ? bare.replaceAll("\r\n", "\n").replaceAll("\r", "\n") : bare;
  return lines.replace(/[^\P{Cc}\n\t]+/gu, "").trim();
}

/** At most so many characters, and no half of one. What is cut ends with `…`. */
export function clipped(text: string, max: number): string {
  return text.length <= max ? text : `${text.slice(0, max - 1).trimEnd()}…`.toWellFormed();
}
