/**
 * Parses JSON text without loss: a whole number that a double cannot hold becomes a bigint, and `JSON.stringify` writes
 * every digit of it again. All else is as `JSON.parse` gives it. Throws a `SyntaxError` where the text is not JSON.
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
  return wholeNumber.test(source) ? BigInt(source) : value;
}

/** A JSON text that stands for itself when it is written. Newer than the library's types. */
interface JsonWithRawText extends JSON {
  rawJSON(text: string): unknown;
}

// A bigint has no form in JSON of its own: without this, `JSON.stringify` throws.
// oxlint-disable-next-line no-extend-native -- the language's own hook for it, so that no writer of JSON has to know
Object.defineProperty(BigInt.prototype, "toJSON", {
  configurable: true,
  value: function toJSON(this: bigint): unknown {
    return (JSON as JsonWithRawText).rawJSON(this.toString());
  },
});
