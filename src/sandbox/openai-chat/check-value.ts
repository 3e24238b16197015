import { isObject } from "../json.ts";
import { Refusal } from "../refusal.ts";

/** Checks one value; `path` is how OpenAI names it. Throws OpenAI's error. */
export type Check = (value: unknown, path: string) => void;

const wrongType = (path: string, expected: string, value: unknown) =>
  new Refusal(400, `Invalid type for '${path}': expected ${expected}, but got ${nameOf(value)} instead.`, {
    code: "invalid_type",
    param: path,
  });

/** The error for a value of the right type. */
export function invalidValue(path: string, message: string, code = "invalid_value"): Refusal {
  return new Refusal(400, message, { code, param: path });
}

export function missing(path: string): Refusal {
  return new Refusal(400, `Missing required parameter: '${path}'.`, {
    code: "missing_required_parameter",
    param: path,
  });
}

/** Makes a check accept null and absence. */
export const optional =
  (check: Check): Check =>
  (value, path) => {
    if (value !== undefined && value !== null) check(value, path);
  };

export const anything: Check = () => {};

/** Checks and returns a string. */
export function text(value: unknown, path: string): string {
  if (typeof value !== "string") throw wrongType(path, "a string", value);
  return value;
}

export const flag: Check = (value, path) => {
  if (typeof value !== "boolean") throw wrongType(path, "a boolean", value);
};

export const object: Check = (value, path) => {
  if (!isObject(value)) throw wrongType(path, "an object", value);
};

export const list: Check = (value, path) => {
  if (!Array.isArray(value)) throw wrongType(path, "an array", value);
};

/** Checks and returns one of these strings. */
export const oneOf = (...allowed: readonly string[]) => {
  return (value: unknown, path: string): string => {
    const word = text(value, path);
    if (allowed.includes(word)) return word;
    const supported = allowed.map((word) => `'${word}'`).join(", ");
    throw invalidValue(path, `Invalid value: '${word.slice(0, 100)}'. Supported values are: ${supported}.`);
  };
};

/** A number within bounds, both included. */
export const number = (min: number, max: number): Check => {
  return (value, path) => {
    if (typeof value !== "number") throw wrongType(path, "a decimal", value);
    checkRange(value, path, "decimal", min, max);
  };
};

/** A whole number within bounds, both included. */
export const integer = (min: number, max = Number.MAX_SAFE_INTEGER): Check => {
  return (value, path) => {
    if (!Number.isInteger(value)) throw wrongType(path, "an integer", value);
    checkRange(value as number, path, "integer", min, max);
  };
};

function checkRange(value: number, path: string, kind: string, min: number, max: number): void {
  const [side, sign, bound] = value < min ? ["below_min", ">=", min] : ["above_max", "<=", max];
  if (value >= min && value <= max) return;
  const words = side === "below_min" ? "below minimum" : "above maximum";
  throw invalidValue(
    path,
    `Invalid '${path}': ${kind} ${words} value. Expected a value ${sign} ${bound}, but got ${value} instead.`,
    `${kind}_${side}_value`,
  );
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal";
  if (value === undefined) return "nothing";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
