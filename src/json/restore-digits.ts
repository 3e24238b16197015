import { endOfString, longNumberDigits, stringAt } from "./top-level.ts";

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const zero = 0x30;
const nine = 0x39;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

type Container = Record<string, unknown> | unknown[];

/** An array or object of the text, and the place in it that the text has come to. */
interface Cursor {
  /** Null if it is not in the parsed value: a later member of the same name took its place. */
  readonly container: Container | null;
  index: number;
  /** The position in the text of the current member's name; -1 before it. */
  nameStart: number;
  nameEnd: number;
}

/** Makes what holds all the digits of a number. */
type Exact = (digits: string) => unknown;

/**
 * Replaces each whole number of the text that `value`, which was parsed from it, could not hold. Text and value are walked side by side, several times faster than `JSON.parse` calls a reviver.
 */
export function restoreDigits(text: string, value: unknown, exact: Exact): unknown {
  const root = [value];
  let cursor: Cursor = cursorIn(root);
  const outer: Cursor[] = [];
  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (cursor.nameStart < 0) [cursor.nameStart, cursor.nameEnd] = [at, end];
      at = end;
      continue;
    }
    if (code === minus || (code >= zero && code <= nine)) {
      const end = endOfNumber(text, at);
      if (end - at >= longNumberDigits) restore(text, cursor, text.slice(at, end), exact);
      at = end;
      continue;
    }
    if (code === openBrace || code === openBracket) {
      outer.push(cursor);
      cursor = cursorIn(containerOrNull(valueAt(text, cursor)));
    } else if (code === closeBrace || code === closeBracket) {
      cursor = outer.pop() ?? cursor;
    } else if (code === comma) {
      cursor.index++;
      cursor.nameStart = -1;
    }
    at++;
  }
  return root[0];
}

function cursorIn(container: Container | null): Cursor {
  return { container, index: 0, nameStart: -1, nameEnd: -1 };
}

function containerOrNull(value: unknown): Container | null {
  return typeof value === "object" && value !== null ? (value as Container) : null; // Parsed from JSON: nothing else.
}

/** The name of the current member. */
function nameAt(text: string, { nameStart, nameEnd }: Cursor): string {
  return nameStart < 0 ? "" : stringAt(text, nameStart, nameEnd);
}

function valueAt(text: string, cursor: Cursor): unknown {
  const { container } = cursor;
  if (Array.isArray(container)) return container[cursor.index];
  return container === null ? null : container[nameAt(text, cursor)];
}

const wholeNumber = /^-?\d+$/;

function restore(text: string, cursor: Cursor, digits: string, exact: Exact): void {
  const { container } = cursor;
  if (container === null || !wholeNumber.test(digits)) return;
  const number = Number(digits);
  if (Number.isSafeInteger(number) || valueAt(text, cursor) !== number) return;
  if (Array.isArray(container)) container[cursor.index] = exact(digits);
  else container[nameAt(text, cursor)] = exact(digits);
}

/** The offset after the number that begins at `start`, its fraction and exponent included. */
function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isPart =
      (code >= zero && code <= nine) || code === 0x2e || (code | 0x20) === 0x65 || code === 0x2b || code === minus;
    if (!isPart) break;
  }
  return at;
}
