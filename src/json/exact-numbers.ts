/** A whole number that a double cannot hold, as it was written. `JSON.stringify` writes every digit of it again. */
export class ExactNumber {
  readonly digits: string;

  constructor(digits: string) {
    this.digits = digits;
  }

  /** The nearest double, for those who count with it. */
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
 * is as `JSON.parse` gives it. Throws a `SyntaxError` where the text is not JSON.
 */
export function parseExactly(text: string): unknown {
  return longNumber.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

/** A reviver makes parsing several times slower: only texts that seem to hold such a number are parsed with one. */
const longNumber = /[,:[]\s*-?[1-9]\d{15}/;
const wholeNumber = /^-?\d+$/;

function keepDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source ?? "";
  return wholeNumber.test(source) ? new ExactNumber(source) : value;
}
