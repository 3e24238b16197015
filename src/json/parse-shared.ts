import { endOfString } from "./top-level.ts";

/** Shorter texts are parsed as they are, in characters. */
const longText = 1 << 20;
/**
 * In longer texts, a character that JSON does not allow in a string may stand in a long one: to search for it takes 40 ms.
 * Bodies of requests are searched in steps before they get here; of answers no harm is done.
 */
const checkedText = 4 << 20;
/** Shorter strings within them are copied, in characters. */
const longString = 64 << 10;

/** What no caller can know to write. */
const mark = `cut ${crypto.randomUUID()} `;
// oxlint-disable-next-line no-control-regex -- JSON does not allow them in a string
const control = /[\0-\x1f]/;

/**
 * Parses JSON as `JSON.parse` does, but long strings are parts of the text, not copies: to copy 30 MB takes 30 ms. They are
 * cut out, and put back into the value of the rest. Throws a `SyntaxError`.
 */
export function parseShared(text: string): unknown {
  if (text.length < longText) return JSON.parse(text);
  const strings: string[] = [];
  let rest = "";
  let copied = 0;
  for (let at = text.indexOf('"'); at >= 0;) {
    const end = endOfString(text, at);
    const string = end - at < longString ? null : plainString(text, at, end);
    if (string !== null) {
      rest += `${text.slice(copied, at)}"${mark}${strings.push(string) - 1}"`;
      copied = end;
    }
    at = text.indexOf('"', end);
  }
  return strings.length === 0 ? JSON.parse(text) : putBack(JSON.parse(rest + text.slice(copied)), strings);
}

/** The value of the string between two offsets if it is written as it is and stands for a value, else null. */
function plainString(text: string, start: number, end: number): string | null {
  if (text.charCodeAt(end - 1) !== 0x22 || /^\s*:/.test(text.slice(end, end + 64))) return null;
  const string = text.slice(start + 1, end - 1);
  return string.includes("\\") || (text.length < checkedText && control.test(string)) ? null : string;
}

function putBack(value: unknown, strings: readonly string[]): unknown {
  if (typeof value === "string") return value.startsWith(mark) ? strings[Number(value.slice(mark.length))] : value;
  if (Array.isArray(value))
    for (let index = 0; index < value.length; index++) value[index] = putBack(value[index], strings);
  else if (typeof value === "object" && value !== null) putBackMembers(value as Record<string, unknown>, strings);
  return value;
}

function putBackMembers(object: Record<string, unknown>, strings: readonly string[]): void {
  for (const name in object) {
    const member = object[name];
    const restored = putBack(member, strings);
    // Not assigned: a member may be named `__proto__`.
    if (restored !== member) Object.defineProperty(object, name, { value: restored });
  }
}
