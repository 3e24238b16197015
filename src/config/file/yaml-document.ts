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
import type { Position } from "../problem.ts";
import { yamlMessage } from "./yaml-messages.ts";

/** Maximum number of values, counting each use of an alias: a small file can expand to billions. */
const maxValues = 100_000;
const maxDepth = 32;
/** A float represents every decimal of 15 digits exactly. */
const maxDigits = 15;

/** A YAML file as plain data, with the positions of its values. */
export interface YamlDocument {
  readonly value: unknown;
  readonly problems: readonly YamlProblem[];
  /** The position of the value at this path; if it is absent, of its nearest parent. */
  locate(path: Path): Position | null;
  /** The position of the name at this path. */
  locateName(path: Path): Position | null;
}

export interface YamlProblem {
  readonly position: Position | null;
  readonly path: Path;
  readonly found: string;
  readonly allowed: string;
}

/** Parses YAML 1.2. The problems do not quote the file, which may contain secrets. */
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
    positions: new Map(),
    problems: [],
    positionAt,
  };
  let value: unknown = null;
  try {
    const document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      resolveKnownTags: false,
      stringKeys: true,
      // The parser's check is quadratic; the conversion below checks in one pass.
      uniqueKeys: false,
    });
    // The parser can report several errors at one position: keep the first.
    const byOffset = new Map<number, YAMLError>();
    for (const error of [...document.errors, ...document.warnings]) {
      if (!byOffset.has(error.pos[0])) byOffset.set(error.pos[0], error);
    }
    const syntax = [...byOffset.values()].map((error) => ({
      position: positionAt(error.pos[0]),
      path: [],
      ...yamlMessage(error.code),
    }));
    conversion.problems.push(...syntax);
    if (syntax.length === 0) value = convert(document.contents, [], conversion);
  } catch (error) {
    if (error instanceof TooLarge) conversion.problems.push(error.problem);
    else if (error instanceof RangeError) conversion.problems.push(tooDeep(null, []));
    else throw error;
  }
  const positions = (path: Path): Positions | undefined => conversion.positions.get(pathKey(path));
  return {
    value,
    problems: conversion.problems,
    locate(path) {
      for (let length = path.length; length > 0; length--) {
        const found = positions(path.slice(0, length));
        if (found !== undefined) return length === path.length ? found.value : found.name;
      }
      return positions([])?.value ?? null;
    },
    locateName: (path) => positions(path)?.name ?? null,
  };
}

interface Positions {
  readonly name: Position;
  readonly value: Position;
}

interface Conversion {
  values: number;
  /** The anchors so far, by name: a later anchor replaces an earlier one of the same name. */
  readonly anchors: Map<string, Node>;
  /** The target of an alias is being converted: its anchors are known already. */
  inAlias: boolean;
  readonly positions: Map<string, Positions>;
  readonly problems: YamlProblem[];
  positionAt(offset: number): Position;
}

/** Thrown if the result would be too large. */
class TooLarge extends Error {
  constructor(readonly problem: YamlProblem) {
    super(problem.found);
  }
}

function convert(node: unknown, path: Path, conversion: Conversion, name?: Position): unknown {
  const position = positionOf(node, conversion) ?? name ?? null;
  if (position !== null) conversion.positions.set(pathKey(path), { name: name ?? position, value: position });
  conversion.values++;
  if (conversion.values > maxValues) {
    const allowed = `at most ${maxValues} values, counting each use of an alias`;
    throw new TooLarge({ position, path: [], found: "too many values", allowed });
  }
  if (path.length > maxDepth) throw new TooLarge(tooDeep(position, []));

  if (isAlias(node)) return convertAlias(node, path, conversion, position);
  if (isNode(node) && node.anchor !== undefined && !conversion.inAlias) conversion.anchors.set(node.anchor, node);
  if (isMap(node)) return convertMap(node, path, conversion);
  if (isSeq(node)) return node.items.map((item, index) => convert(item, [...path, index], conversion));
  return isScalar(node) ? convertScalar(node, path, conversion, position) : null;
}

/** Converts the target of an alias: the latest anchor of its name. */
function convertAlias(alias: Alias, path: Path, conversion: Conversion, position: Position | null): unknown {
  const target = conversion.anchors.get(alias.source);
  if (target === undefined) {
    conversion.problems.push({ position, path, ...yamlMessage("BAD_ALIAS") });
    return null;
  }
  // The conversion of the target overwrites the position, which should be that of the alias.
  const key = pathKey(path);
  const place = conversion.positions.get(key);
  const wasInAlias = conversion.inAlias;
  conversion.inAlias = true;
  const value = convert(target, path, conversion, position ?? undefined);
  conversion.inAlias = wasInAlias;
  if (place !== undefined) conversion.positions.set(key, place);
  return value;
}

function convertMap(map: YAMLMap, path: Path, conversion: Conversion): Record<string, unknown> {
  // In a Map, a name like `__proto__` has no special meaning.
  const entries = new Map<string, unknown>();
  for (const { key, value } of map.items) {
    const name = isScalar(key) ? String(key.value) : "";
    const position = positionOf(key, conversion);
    const report = (found: string, allowed: string) =>
      conversion.problems.push({ position, path: [...path, name], found, allowed });
    if (name === "__proto__") report("a reserved name", "any other name");
    else if (entries.has(name)) report("a duplicate name", "each name once");
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
  if (digits.length > maxDigits) {
    const allowed = `at most ${maxDigits} digits, or a quoted text`;
    conversion.problems.push({ position, path, found: "a number with too many digits to be exact", allowed });
  }
  return value;
}

function positionOf(node: unknown, conversion: Conversion): Position | null {
  // `range` is set on all parsed nodes.
  const offset = (node as Partial<Node> | null)?.range?.[0];
  return offset === undefined ? null : conversion.positionAt(offset);
}

function tooDeep(position: Position | null, path: Path): YamlProblem {
  return { position, path, found: "values nested too deeply", allowed: `at most ${maxDepth} levels` };
}
