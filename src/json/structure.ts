/** The structure of a JSON text, as far as it makes the text expensive to parse. */
export interface JsonStructure {
  /** Strings (names of members among them), objects and arrays. */
  readonly nodes: number;
  /** Commas: about as many as there are values in all. */
  readonly separators: number;
  /** The positions of strings of `longStringBytes` or more. */
  readonly longStrings: readonly (readonly [start: number, end: number])[];
}

export const longStringBytes = 64 << 10;

/**
 * Bounds of a JSON text besides its length. Bytes are cheap within a string (an image in base64) and expensive elsewhere: a text
 * within these bounds is parsed in some tens of milliseconds, whatever its content.
 */
export const jsonBounds = {
  depth: 256,
  nodes: 60_000,
  /** Different names of members: each costs several times as much as a repeated one. */
  names: 15_000,
  separators: 500_000,
  /** Numbers of 16 digits or more. */
  longNumbers: 20_000,
  /** Characters that are written with a backslash. */
  escapes: 1_500_000,
  /** Of these, the ones that no other follows within a few bytes: each costs a search for the next. */
  escapesApart: 250_000,
  /** Bytes that are in no string: numbers, spaces, punctuation. */
  bytesOutsideStrings: 4 << 20,
} as const;

export type JsonBounds = Readonly<Record<keyof typeof jsonBounds, number>>;

/** Bounds of a text of which each step of its reading has a turn of its own: measured so that none takes longer than 50 ms. */
export const largeJsonBounds: JsonBounds = { ...jsonBounds, nodes: 220_000, bytesOutsideStrings: 16 << 20 };

/** Bounds of a text that is read on a thread of its own, which may take a second: they bound its memory. */
export const threadJsonBounds: JsonBounds = {
  ...jsonBounds,
  nodes: 2_000_000,
  separators: 2_000_000,
  bytesOutsideStrings: 32 << 20,
};

/** Texts of fewer bytes need no such look: they are parsed in a millisecond. */
export const smallJsonBytes = 16 << 10;

/** After an escaped character the next one is looked for in so many bytes, which is quicker than a search. */
const nearBytes = 16;

/** A JSON text exceeds one of `jsonBounds`. The message names it. */
export class JsonTooComplex extends Error {
  override readonly name = "JsonTooComplex";
}

/** A longer name counts as one that was not there before. */
const longNameBytes = 64;
const hashBits = 18;
/** Between a name and its colon: nothing writes more. */
const maxSpaces = 64;

const tab = 0x09;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const letterU = 0x75;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Measures the structure of JSON without parsing it, and stops at the first bound that it exceeds: its own time is bounded
 * too. What is not JSON is not noticed.
 * @throws JsonTooComplex
 */
export function measureStructure(bytes: Buffer, bounds: JsonBounds = jsonBounds): JsonStructure {
  const { length } = bytes;
  let nodes = 0;
  let separators = 0;
  const longStrings: [number, number][] = [];
  let depth = 0;
  let names = 0;
  const seen = new Uint8Array(1 << hashBits);
  let escapes = 0;
  let escapesApart = 0;
  let nextEscape = bytes.indexOf(backslash);
  // Moves on by the length of each string.
  let limit = bounds.bytesOutsideStrings;
  let at = 0;
  while (at < length) {
    if (at >= limit) throw tooMany("bytesOutsideStrings", "bytes outside of its strings", bounds);
    const byte = bytes[at++];
    if (byte === comma) {
      if (++separators > bounds.separators) throw tooMany("separators", "values", bounds);
    } else if (byte === closeBrace || byte === closeBracket) {
      depth--;
    } else if (byte === openBrace || byte === openBracket) {
      if (++depth > bounds.depth) throw tooDeep();
      if (++nodes > bounds.nodes) throw tooMany("nodes", "strings, objects and arrays", bounds);
    } else if (byte === quote) {
      if (++nodes > bounds.nodes) throw tooMany("nodes", "strings, objects and arrays", bounds);
      const start = at;
      let end = bytes.indexOf(quote, at);
      while (nextEscape >= 0 && nextEscape < end) {
        at = nextEscape;
        while (bytes[at] === backslash) {
          if (++escapes > bounds.escapes) throw tooMany("escapes", "escaped characters", bounds);
          at += bytes[at + 1] === letterU ? 6 : 2;
          const near = Math.min(at + nearBytes, length);
          while (at < near && bytes[at] !== backslash && bytes[at] !== quote) at++;
        }
        if (++escapesApart > bounds.escapesApart) throw tooMany("escapesApart", "separate escaped characters", bounds);
        nextEscape = bytes.indexOf(backslash, at);
        if (at > end) end = bytes.indexOf(quote, at);
      }
      if (end < 0) break;
      at = end + 1;
      limit += at - start;
      if (end - start >= longStringBytes) longStrings.push([start, end]);
      if (bytes[afterSpaces(bytes, at)] !== colon) continue;
      const slot = end - start > longNameBytes ? -1 : hashOf(bytes, start, end);
      if (slot >= 0 && seen[slot] === 1) continue;
      if (slot >= 0) seen[slot] = 1;
      if (++names > bounds.names) throw tooMany("names", "different names of members", bounds);
    }
  }
  return { nodes, separators, longStrings };
}

/**
 * Parses JSON of which little is expected. Throws a `SyntaxError` if it is none, or may hold more than so many values:
 * commas and brackets within strings count too.
 */
export function parseSmall(text: string, maxValues: number): unknown {
  if (countValues(text, maxValues) > maxValues) throw new SyntaxError(`There are more than ${maxValues} values.`);
  return JSON.parse(text);
}

/** How many values the JSON may hold, counted as by `parseSmall`, to one more than `max`. */
export function countValues(text: string, max: number): number {
  let values = 1;
  for (let at = 0; at < text.length && values <= max; at++) {
    const code = text.charCodeAt(at);
    if (code === comma || code === openBracket || code === openBrace) values += 1;
  }
  return values;
}

function afterSpaces(bytes: Buffer, from: number): number {
  let at = from;
  for (; at < from + maxSpaces; at++) {
    const byte = bytes[at];
    if (byte !== space && byte !== lineFeed && byte !== carriageReturn && byte !== tab) break;
  }
  return at;
}

/** FNV-1a, folded to the size of the table. Two names may share a hash: the figure is then too small by one. */
function hashOf(bytes: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> hashBits)) & ((1 << hashBits) - 1);
}

export function tooMany(bound: keyof typeof jsonBounds, what: string, bounds: JsonBounds = jsonBounds): JsonTooComplex {
  return new JsonTooComplex(`it has more than ${bounds[bound].toLocaleString("en")} ${what}`);
}

export function tooDeep(): JsonTooComplex {
  return new JsonTooComplex(`it is nested deeper than ${jsonBounds.depth} levels`);
}
