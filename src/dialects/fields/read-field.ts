import { invalidParameter, missingParameter } from "../../errors.ts";
import { ExactNumber } from "../../json/exact-numbers.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

/**
 * Reading a caller's fields: each function gives the value if it is there and of the right type, `undefined` if it
 * is absent or null, and throws a 400 naming `path` otherwise. `path` is the whole path of the field.
 */
export function optionalString(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string") throw invalidParameter(path, "a string");
  return value;
}

export function optionalNumber(value: unknown, path: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (value instanceof ExactNumber) return value.valueOf();
  if (typeof value !== "number" || !Number.isFinite(value)) throw invalidParameter(path, "a number");
  return value;
}

export function optionalInteger(value: unknown, path: string): number | undefined {
  const number = optionalNumber(value, path);
  if (number !== undefined && !Number.isInteger(number)) throw invalidParameter(path, "an integer");
  return number;
}

/** A bound of the tokens of an answer: a whole number of at least `min`. */
export function optionalTokenLimit(value: unknown, path: string, min = 1): number | undefined {
  return optionalWholeNumber(value, path, `a whole number of at least ${min}`, min, Infinity);
}

/** OpenAI's own upper bound. */
const maxAnswers = 128;

/** How many answers one request asks for. */
export function optionalAnswerCount(value: unknown, path: string): number | undefined {
  return optionalWholeNumber(value, path, `a whole number from 1 to ${maxAnswers}`, 1, maxAnswers);
}

function optionalWholeNumber(value: unknown, path: string, expected: string, min: number, max: number) {
  if (value === undefined || value === null) return undefined;
  const number = value instanceof ExactNumber ? value.valueOf() : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= min && number <= max) return number;
  throw invalidParameter(path, expected);
}

export function optionalBoolean(value: unknown, path: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "boolean") throw invalidParameter(path, "true or false");
  return value;
}

export function optionalObject(value: unknown, path: string): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw invalidParameter(path, "an object");
  return value;
}

export function optionalList(value: unknown, path: string): readonly unknown[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw invalidParameter(path, "an array");
  return value;
}

/** One of the given words, which the error also names. */
export function optionalWord<Word extends string>(
  value: unknown,
  path: string,
  words: readonly Word[],
): Word | undefined {
  if (value === undefined || value === null) return undefined;
  const word = words.find((known) => known === value);
  if (word === undefined) throw invalidParameter(path, `one of ${words.join(", ")}`);
  return word;
}

export function requiredString(value: unknown, path: string): string {
  const text = optionalString(value, path);
  if (text === undefined) throw missingParameter(path);
  return text;
}

export function requiredObject(value: unknown, path: string): JsonObject {
  const object = optionalObject(value, path);
  if (object === undefined) throw missingParameter(path);
  return object;
}

export function requiredList(value: unknown, path: string): readonly unknown[] {
  const list = optionalList(value, path);
  if (list === undefined) throw missingParameter(path);
  return list;
}
