import { nextTurn } from "../next-turn.ts";
import { parseShared } from "./parse-shared.ts";
import { restoreDigits } from "./restore-digits.ts";
import { longNumberDigits, scanTopLevel } from "./top-level.ts";

/** A whole number that a double cannot hold, as it was written. `JSON.stringify` writes every digit of it again. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  /** The nearest double, for arithmetic. */
  valueOf(): number {
    return Number(this.digits);
  }

  toJSON(): unknown {
    return (JSON as JsonWithRawText).rawJSON(this.digits);
  }
}

/** `rawJSON` is newer than the library's types. */
interface JsonWithRawText extends JSON {
  /** A value that is written as this text. */
  rawJSON(text: string): unknown;
}

/**
 * Parses JSON text without loss: within it, a whole number that a double cannot hold becomes an `ExactNumber`. All else
 * is as `JSON.parse` gives it. Throws a `SyntaxError` if the text is not JSON.
 * @param mayHoldLong false if it is known that no number has 16 digits
 */
export function parseExactly(text: string, mayHoldLong = hasLongNumber(text)): unknown {
  const value = parseShared(text);
  return mayHoldLong ? withExactNumbers(text, value) : value;
}

/** The same for a large text, whose every step has a turn of its own. */
export async function parseExactlyInSteps(text: string): Promise<unknown> {
  const mayHoldLong = hasLongNumber(text);
  await nextTurn();
  const value = parseShared(text);
  await nextTurn();
  return mayHoldLong ? withExactNumbers(text, value) : value;
}

function withExactNumbers(text: string, value: unknown): unknown {
  return restoreDigits(text, value, (digits) => new ExactNumber(digits));
}

/** Whether there seems to be a long number: a search for short texts, which is slow to pass over long strings. */
function hasLongNumber(text: string): boolean {
  return text.length > longText ? scanTopLevel(text, noNames).longNumbers > 0 : longNumber.test(text);
}

const longText = 64 << 10;
const noNames: ReadonlySet<string> = new Set();
const longNumber = new RegExp(`[,:[]\\s*-?[1-9]\\d{${longNumberDigits - 1}}`);
