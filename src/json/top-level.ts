/** The position of one member of the outermost object in a JSON text. Offsets count UTF-16 units. */
export interface Member {
  readonly key: string;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** The result of `scanTopLevel`. */
export interface TopLevel {
  /** Every occurrence of a wanted key, in order; duplicate keys occur more than once. */
  readonly members: readonly Member[];
  /** Members in all, repeated ones included. */
  readonly memberCount: number;
  /** Nesting depth of arrays and objects; 1 for a flat object. */
  readonly depth: number;
  /** Numbers of so many digits that a double may not hold them. */
  readonly longNumbers: number;
}

/** A whole number of fewer digits is one that a double can hold. */
export const longNumberDigits = 16;

const quote = 0x22;
const comma = 0x2c;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Locates the values of some top-level keys in JSON text, so that they can be replaced and all other bytes kept. Strings
 * are skipped with `indexOf`, so large images cost little. Of a text that is not valid JSON, what is found means nothing.
 */
export function scanTopLevel(text: string, wanted: ReadonlySet<string>): TopLevel {
  const members: Member[] = [];
  let depth = 0;
  let maxDepth = 0;
  let longNumbers = 0;
  let memberCount = 0;
  let key: string | null = null;
  let valueStart = -1;

  const endValue = (at: number) => {
    if (valueStart >= 0) memberCount++;
    if (key !== null && valueStart >= 0 && wanted.has(key)) members.push(trimmed(text, key, valueStart, at));
    key = null;
    valueStart = -1;
  };

  let at = 0;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (depth === 1 && valueStart < 0) key = stringAt(text, at, end);
      at = end;
      continue;
    }
    if (code >= zero && code <= nine) {
      const start = at;
      do at++;
      while (isDigit(text.charCodeAt(at)));
      if (at - start >= longNumberDigits) longNumbers++;
      continue;
    }
    if (code === openBrace || code === openBracket) {
      depth++;
      if (depth > maxDepth) maxDepth = depth;
    } else if (code === closeBrace || code === closeBracket) {
      if (depth === 1) endValue(at);
      depth--;
    } else if (depth === 1) {
      if (code === colon && valueStart < 0) valueStart = at + 1;
      else if (code === comma) endValue(at);
    }
    at++;
  }
  return { members, memberCount, depth: maxDepth, longNumbers };
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

/** The offset after the closing quote of the string that opens at `start`. */
export function endOfString(text: string, start: number): number {
  let from = start + 1;
  for (;;) {
    const end = text.indexOf('"', from);
    if (end < 0) return text.length;
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++;
    if (slashes % 2 === 0) return end + 1;
    from = end + 1;
  }
}

/** The string between two offsets. Throws a `SyntaxError` if it is not valid. */
export function stringAt(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes("\\") ? String(JSON.parse(text.slice(start, end))) : inner;
}

function trimmed(text: string, key: string, start: number, end: number): Member {
  while (isSpace(text.charCodeAt(start))) start++;
  while (isSpace(text.charCodeAt(end - 1))) end--;
  return { key, valueStart: start, valueEnd: end };
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** Replaces each occurrence of some top-level values of a JSON text by what `change` makes of it. The rest is unchanged. */
export function mapMembers(
  text: string,
  wanted: ReadonlySet<string>,
  change: (key: string, value: string) => string,
): string {
  let result = "";
  let copied = 0;
  for (const { key, valueStart, valueEnd } of scanTopLevel(text, wanted).members) {
    result += text.slice(copied, valueStart) + change(key, text.slice(valueStart, valueEnd));
    copied = valueEnd;
  }
  return result + text.slice(copied);
}

/**
 * Replaces top-level values of a JSON text by other JSON texts, and adds absent members at the end. The rest is
 * unchanged.
 */
export function withMembers(
  text: string,
  members: readonly Member[],
  replacements: Readonly<Record<string, string>>,
): string {
  let result = "";
  let copied = 0;
  const seen = new Set<string>();
  for (const member of members) {
    const replacement = replacements[member.key];
    if (replacement === undefined) continue;
    seen.add(member.key);
    result += text.slice(copied, member.valueStart) + replacement;
    copied = member.valueEnd;
  }
  const absent = Object.keys(replacements).filter((key) => !seen.has(key));
  if (absent.length === 0) return result + text.slice(copied);
  const close = text.lastIndexOf("}");
  const head = result + text.slice(copied, close);
  const added = absent.map((key) => `${JSON.stringify(key)}:${replacements[key]}`).join(",");
  const separator = /\{\s*$/.test(head) ? "" : ",";
  return head + separator + added + text.slice(close);
}
