import { withoutMarkup } from "./without-markup.ts";

/** Text on one line, without tags of HTML, with entities decoded once, and without control characters. */
export function plainText(text: string): string {
  return onOneLine(withoutMarkup(text).toWellFormed()).trim();
}

/** White space and control characters, but for a space. */
// eslint-disable-next-line no-control-regex
const otherBlank = /[\0-\x1f\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]/;
const blankRuns = new RegExp(`[ ${otherBlank.source.slice(1)}+`, "g");

function onOneLine(text: string): string {
  if (otherBlank.test(text)) return text.replace(blankRuns, " ");
  let line = text;
  // Most texts have spaces alone, which this takes together at a third of the time. Each round halves the runs.
  while (line.includes("  ")) line = line.replaceAll("  ", " ");
  return line;
}

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
