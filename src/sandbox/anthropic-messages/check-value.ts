import { isObject, type JsonObject } from "../json.ts";
import { invalidRequest } from "./errors.ts";

/** Checks one value; `path` is how Anthropic names it. Throws its error. */
export type Check = (value: unknown, path: string) => void;

export const anything: Check = () => {};

/** Makes a check accept null and absence. */
export const optional =
  (check: Check): Check =>
  (value, path) => {
    if (value !== undefined && value !== null) check(value, path);
  };

/** Checks and returns a string. */
export function text(value: unknown, path: string): string {
  if (value === undefined) throw invalidRequest(path, "Field required");
  if (typeof value !== "string") throw invalidRequest(path, "Input should be a valid string");
  return value;
}

export const flag: Check = (value, path) => {
  if (typeof value !== "boolean") throw invalidRequest(path, "Input should be a valid boolean");
};

/** A number within bounds, both included. */
export const number =
  (min: number, max: number): Check =>
  (value, path) => {
    if (typeof value !== "number") throw invalidRequest(path, "Input should be a valid number");
    if (value < min) throw invalidRequest(path, `Input should be greater than or equal to ${min}`);
    if (value > max) throw invalidRequest(path, `Input should be less than or equal to ${max}`);
  };

/** A whole number that is not below `min`. */
export const integer =
  (min: number): Check =>
  (value, path) => {
    if (!Number.isInteger(value)) throw invalidRequest(path, "Input should be a valid integer");
    number(min, Number.MAX_SAFE_INTEGER)(value, path);
  };

/** Checks and returns one of these strings. */
export const oneOf = (...allowed: readonly string[]) => {
  return (value: unknown, path: string): string => {
    const word = text(value, path);
    if (allowed.includes(word)) return word;
    const words = allowed.map((each) => `'${each}'`).join(", ");
    throw invalidRequest(path, `Input should be ${words}`);
  };
};

/** Checks and returns a list. */
export function list(value: unknown, path: string): readonly unknown[] {
  if (value === undefined) throw invalidRequest(path, "Field required");
  if (!Array.isArray(value)) throw invalidRequest(path, "Input should be a valid list");
  return value;
}

/** Checks and returns an object. */
export function object(value: unknown, path: string): JsonObject {
  if (value === undefined) throw invalidRequest(path, "Field required");
  if (!isObject(value)) throw invalidRequest(path, "Input should be an object");
  return value;
}

/** Checks the fields of an object. Throws on an unknown one. */
export const fields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    const given = object(value, path);
    const at = (name: string) => (path === "" ? name : `${path}.${name}`);
    const stray = Object.keys(given).find((name) => !Object.hasOwn(checks, name));
    if (stray !== undefined) throw invalidRequest(at(stray.slice(0, 100)), "Extra inputs are not permitted");
    for (const [name, check] of Object.entries(checks)) check(given[name], at(name));
  };

/** Checks every item of a list. */
export const each =
  (check: Check): Check =>
  (value, path) =>
    list(value, path).forEach((item, index) => check(item, `${path}.${index}`));

/** Checks an object by its `type`. */
export const byType =
  (kinds: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    const { type } = object(value, path);
    const check = typeof type === "string" && Object.hasOwn(kinds, type) ? kinds[type] : undefined;
    if (check !== undefined) return check(value, path);
    const expected = Object.keys(kinds)
      .map((kind) => `'${kind}'`)
      .join(", ");
    throw invalidRequest(
      path,
      `Input tag '${String(type).slice(0, 100)}' found using 'type' does not match any of the expected tags: ${expected}`,
    );
  };
