import {
  type Alias,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type Scalar,
  type YAMLError,
  type YAMLMap,
} from "yaml";
import { type Path, pathKey } from "./path.ts";
import type { Position } from "./problem.ts";
import { yamlFaultWords } from "./yaml-fault-words.ts";

/** More values than this, aliases counted each time they are used, are refused: a small file can name billions. */
const mostValues = 100_000;
const deepest = 32;
/** A float holds any decimal of 15 digits exactly, and not every longer one. */
const mostDigits = 15;

/** A YAML file as plain data, with the place of everything in it. */
export interface YamlDocument {
  readonly value: unknown;
  readonly faults: readonly YamlFault[];
  /** Where the value at this path stands; where it is absent, what holds it. */
  locate(path: Path): Position | null;
  /** Where the name at this path stands. */
  locateName(path: Path): Position | null;
}

export interface YamlFault {
  readonly position: Position | null;
  readonly path: Path;
  readonly found: string;
  readonly allowed: string;
}

/** Reads YAML 1.2. What is wrong is in `faults`, in words that quote nothing of the file: a secret may stand there. */
export function readYaml(text: string): YamlDocument {
  const lines = new LineCounter();
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const conversion: Conversion = {
    values: 0,
    anchors: new Map(),
    inAlias: false,
    places: new Map(),
    faults: [],
    positionAt,
  };
  let value: unknown = null;
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      resolveKnownTags: false,
      stringKeys: true,
      // The check compares each name with each other; the conversion below does it in one pass.
      uniqueKeys: false,
    });
    // One mistake can be reported many times over at one place: the first report is the one that helps.
    const byOffset = new Map<number, YAMLError>();
    for (const fault of [...document.errors, ...document.warnings]) {
      if (!byOffset.has(fault.pos[0])) byOffset.set(fault.pos[0], fault);
    }
    const syntax = [...byOffset.values()].map((fault) => ({
      position: positionAt(fault.pos[0]),
      path: [],
      ...yamlFaultWords(fault.code),
    }));
    conversion.faults.push(...syntax);
    if (syntax.length === 0) value = convert(document.contents, [], conversion);
  } catch (error) {
    if (error instanceof TooMuch) conversion.faults.push(error.fault);
    else if (error instanceof RangeError) conversion.faults.push(tooDeep(null, []));
    else throw error;
  }
  const place = (path: Path): Place | undefined => conversion.places.get(pathKey(path));
  return {
    value,
    faults: conversion.faults,
    locate(path) {
      for (let length = path.length; length > 0; length--) {
        const found = place(path.slice(0, length));
        if (found !== undefined) return length === path.length ? found.value : found.name;
      }
      return place([])?.value ?? null;
    },
    locateName: (path) => place(path)?.name ?? null,
  };
}

interface Place {
  readonly name: Position;
  readonly value: Position;
}

interface Conversion {
  values: number;
  /** By name, as they stand at this point of the document: a later anchor of the same name replaces an earlier one. */
  readonly anchors: Map<string, Node>;
  /** What an alias stands for is being converted: its anchors have been seen before. */
  inAlias: boolean;
  readonly places: Map<string, Place>;
  readonly faults: YamlFault[];
  positionAt(offset: number): Position;
}

/** Ends a conversion whose result would be too large. */
class TooMuch extends Error {
  constructor(readonly fault: YamlFault) {
    super(fault.found);
  }
}

function convert(node: unknown, path: Path, conversion: Conversion, name?: Position): unknown {
  const position = positionOf(node, conversion) ?? name ?? null;
  if (position !== null) conversion.places.set(pathKey(path), { name: name ?? position, value: position });
  conversion.values++;
  if (conversion.values > mostValues) {
    const allowed = `at most ${mostValues} values, aliases counted each time they are used`;
    throw new TooMuch({ position, path: [], found: "too many values", allowed });
  }
  if (path.length > deepest) throw new TooMuch(tooDeep(position, []));

  if (isAlias(node)) return convertAlias(node, path, conversion, position);
  if (isNode(node) && node.anchor !== undefined && !conversion.inAlias) conversion.anchors.set(node.anchor, node);
  if (isMap(node)) return convertMap(node, path, conversion);
  if (isSeq(node)) return node.items.map((item, index) => convert(item, [...path, index], conversion));
  return isScalar(node) ? convertScalar(node, path, conversion, position) : null;
}

/** What an alias stands for: the latest anchor of its name before it. */
function convertAlias(alias: Alias, path: Path, conversion: Conversion, position: Position | null): unknown {
  const target = conversion.anchors.get(alias.source);
  if (target === undefined) {
    conversion.faults.push({ position, path, ...yamlFaultWords("BAD_ALIAS") });
    return null;
  }
  // Converting the target writes its own place here; the line to look at is the alias's.
  const key = pathKey(path);
  const place = conversion.places.get(key);
  const wasInAlias = conversion.inAlias;
  conversion.inAlias = true;
  const value = convert(target, path, conversion, position ?? undefined);
  conversion.inAlias = wasInAlias;
  if (place !== undefined) conversion.places.set(key, place);
  return value;
}

function convertMap(map: YAMLMap, path: Path, conversion: Conversion): Record<string, unknown> {
  // A Map keeps a name like `__proto__` from meaning anything.
  const entries = new Map<string, unknown>();
  for (const { key, value } of map.items) {
    const name = isScalar(key) ? String(key.value) : "";
    const position = positionOf(key, conversion);
    const fault = (found: string, allowed: string) =>
      conversion.faults.push({ position, path: [...path, name], found, allowed });
    if (name === "__proto__") fault("a name with a meaning of its own", "any other name");
    else if (entries.has(name)) fault("the same name a second time", "each name once");
    else entries.set(name, convert(value, [...path, name], conversion, position ?? undefined));
  }
  return Object.fromEntries(entries);
}

function convertScalar(scalar: Scalar, path: Path, conversion: Conversion, position: Position | null): unknown {
  const { value, source } = scalar;
  if (typeof value !== "number" || !Number.isFinite(value)) return value;
  const digits =
    /^[+-]?([\d.]*)/
      .exec(source ?? "")?.[1]
      ?.replace(".", "")
      .replace(/^0+/, "") ?? "";
  if (digits.length > mostDigits) {
    const allowed = `at most ${mostDigits} digits, or text in quotes`;
    conversion.faults.push({ position, path, found: "a number that cannot be held exactly", allowed });
  }
  return value;
}

function positionOf(node: unknown, conversion: Conversion): Position | null {
  // `range` is set on every node that was parsed.
  const offset = (node as Partial<Node> | null)?.range?.[0];
  return offset === undefined ? null : conversion.positionAt(offset);
}

function tooDeep(position: Position | null, path: Path): YamlFault {
  return { position, path, found: "values nested too deep", allowed: `at most ${deepest} levels` };
}
