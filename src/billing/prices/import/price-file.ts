/** A number of a file as it is written: what a float would round, and `NaN`, can still be told. */
export class NumberText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value of a price file. Maps have no prototype. */
export type FileValue = string | boolean | null | NumberText | readonly FileValue[] | FileMap;

export interface FileMap {
  readonly [name: string]: FileValue;
}

/** A file that cannot be read at all. The message says why, with the line. */
export class PriceFileError extends Error {
  override readonly name = "PriceFileError";
}

export function isMap(value: FileValue | undefined): value is FileMap {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof NumberText);
}

const maxDepth = 64;

const token = /[ \t\r\n]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\.)*")|([^\s{}[\],:"]+))/y;

/**
 * Reads JSON with its numbers as they are written. Stricter than `JSON.parse`: a name that stands twice in a map is an
 * error, because the later price would silently win.
 * @throws PriceFileError
 */
export function readPriceFile(text: string): FileValue {
  token.lastIndex = 0;
  let next = nextToken(text);
  const value = readValue(0);
  if (next !== null) throw failure(text, "one value and nothing after it");
  return value;

  function take(): string {
    const taken = next;
    if (taken === null) throw failure(text, "more of the file");
    next = nextToken(text);
    return taken;
  }

  function readValue(depth: number): FileValue {
    if (depth > maxDepth) throw failure(text, `at most ${maxDepth} levels`);
    const word = take();
    if (word === "{") return readMap(depth);
    if (word === "[") return readList(depth);
    if (word.startsWith('"')) return stringOf(text, word);
    if (word === "true" || word === "false") return word === "true";
    if (word === "null") return null;
    if (/^-?(\d+(\.\d+)?([eE][+-]?\d+)?|NaN|Infinity)$/.test(word)) return new NumberText(word);
    throw failure(text, "a JSON value");
  }

  function readMap(depth: number): FileMap {
    const map: Record<string, FileValue> = Object.create(null);
    if (next === "}") return (take(), map);
    for (;;) {
      const word = take();
      if (!word.startsWith('"')) throw failure(text, "a name in quotes");
      const name = stringOf(text, word);
      if (name in map) throw failure(text, "each name once", `the duplicate name '${name.slice(0, 100)}'`);
      if (take() !== ":") throw failure(text, "a colon");
      map[name] = readValue(depth + 1);
      const end = take();
      if (end === "}") return map;
      if (end !== ",") throw failure(text, "a comma or a closing brace");
    }
  }

  function readList(depth: number): FileValue[] {
    const list: FileValue[] = [];
    if (next === "]") return (take(), list);
    for (;;) {
      list.push(readValue(depth + 1));
      const end = take();
      if (end === "]") return list;
      if (end !== ",") throw failure(text, "a comma or a closing bracket");
    }
  }
}

function nextToken(text: string): string | null {
  const start = token.lastIndex;
  const match = token.exec(text);
  if (match) return match[1] ?? match[2] ?? match[3] ?? null;
  token.lastIndex = start;
  if (/[^ \t\r\n]/.test(text.slice(start))) throw failure(text, "JSON");
  return null;
}

function stringOf(text: string, word: string): string {
  try {
    return String(JSON.parse(word));
  } catch {
    throw failure(text, "a text of JSON");
  }
}

function failure(text: string, allowed: string, found = "something else"): PriceFileError {
  const line = text.slice(0, token.lastIndex).split("\n").length;
  return new PriceFileError(`Line ${line}: found ${found}; allowed: ${allowed}.`);
}
