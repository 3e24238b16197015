import { ExactNumber } from "../../../json/exact-numbers.ts";
import { isObject, listOrEmpty } from "../../../json/values.ts";

/**
 * Puts together the arguments of a function call that Google streams value by value (`partialArgs`), each with a path
 * such as `$.place.names[0]`. A string may come in several pieces.
 */
export interface ArgumentAssembler {
  push(partialArgs: unknown): void;
  /** JSON text of what has come so far. */
  json(): string;
}

type Container = Map<string, unknown> | unknown[];

/** A list longer than this is no list of arguments. */
const maxListed = 100_000;

export function openArgumentAssembler(): ArgumentAssembler {
  const root = new Map<string, unknown>();
  return {
    push(partialArgs) {
      for (const item of listOrEmpty(partialArgs)) {
        if (!isObject(item) || typeof item.jsonPath !== "string") continue;
        const value = valueOf(item);
        const steps = stepsOf(item.jsonPath);
        if (value !== undefined && steps.length > 0) place(root, steps, value);
      }
    },
    json: () => JSON.stringify(plain(root)),
  };
}

function valueOf(item: Readonly<Record<string, unknown>>): unknown {
  if (typeof item.stringValue === "string") return item.stringValue;
  if (typeof item.numberValue === "number" || item.numberValue instanceof ExactNumber) return item.numberValue;
  if (typeof item.boolValue === "boolean") return item.boolValue;
  return "nullValue" in item ? null : undefined;
}

type Step = string | number;

/** `$.a.b[0]['c']` as `a`, `b`, 0, `c`. */
function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  for (const [, name, index, quoted] of path.matchAll(/\.([^.[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]/g)) {
    if (index !== undefined) steps.push(Math.min(Number(index), maxListed));
    else steps.push(name ?? (quoted ?? "").replace(/\\(.)/g, "$1"));
  }
  return steps;
}

function place(root: Container, steps: readonly Step[], value: unknown): void {
  let container = root;
  steps.forEach((step, position) => {
    const next = steps[position + 1];
    const known = read(container, step);
    if (next === undefined) {
      // A further piece of a string that has begun.
      write(container, step, typeof known === "string" && typeof value === "string" ? known + value : value);
      return;
    }
    if (known instanceof Map || Array.isArray(known)) {
      container = known;
      return;
    }
    const fresh: Container = typeof next === "number" ? [] : new Map<string, unknown>();
    write(container, step, fresh);
    container = fresh;
  });
}

function read(container: Container, step: Step): unknown {
  return Array.isArray(container) ? container[Number(step)] : container.get(String(step));
}

function write(container: Container, step: Step, value: unknown): void {
  if (!Array.isArray(container)) container.set(String(step), value);
  else if (Number.isInteger(Number(step))) container[Number(step)] = value;
}

function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, inner]) => [name, plain(inner)]));
  return Array.isArray(value) ? Array.from(value, (inner) => plain(inner) ?? null) : value;
}
