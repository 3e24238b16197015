import { withoutMarkup } from "./without-markup.ts";

/** Text on one line, without tags of HTML, with entities decoded once, and without control characters. */
export function plainText(text: string): string {
  return onOneLine(withoutMarkup(text).toWellFormed()).trim();
}

const space = 0x20;

/** White space and control characters, but for a space by itself: as `isBlank` has them. */
// eslint-disable-next-line no-control-regex
const unusualSpace = /[\u0000-\u001f\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]| {2}/;

/** The text with one space for each run of white space and control characters. Most texts have none but single spaces. */
function onOneLine(text: string): string {
  if (!unusualSpace.test(text)) return text;
  let kept = "";
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code > space && code < 0x7f) || !isBlank(code)) continue;
    const begin = at;
    while (at + 1 < text.length && isBlank(text.charCodeAt(at + 1))) at++;
    if (at === begin && code === space) continue;
    kept += `${text.slice(from, begin)} `;
    from = at + 1;
  }
  return from === 0 ? text : kept + text.slice(from);
}

function isBlank(code: number): boolean {
  return code <= space || (code >= 0x7f && (code <= 0xa0 || (code >= 0x1680 && wideSpaces.has(code))));
}

/** White space beyond Latin-1. */
const wideSpaces: ReadonlySet<number> = new Set(
  Array.from({ length: 0x1_0000 }, (_, code) => code).filter(
    (code) => code >= 0x1680 && /\s/.test(String.fromCharCode(code)),
  ),
);

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
