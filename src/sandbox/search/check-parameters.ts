import type { JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";

/** Refuses parameters that a vendor does not know. @param status of the vendor's refusal */
export function checkNames(given: Iterable<string>, known: readonly string[], status = 400): void {
  for (const name of given) {
    if (!known.includes(name)) throw new Refusal(status, `Unknown parameter: ${name.slice(0, 100)}`, { param: name });
  }
}

/** A text that must be there and not be blank. */
export function requiredText(value: unknown, name: string, maxLength: number, status = 400): string {
  if (typeof value !== "string" || value.trim() === "") {
    throw new Refusal(status, `Missing query parameter: ${name}`, { param: name });
  }
  if (value.length <= maxLength) return value;
  throw new Refusal(status, `${name} is too long. Max ${name} length is ${maxLength} characters.`, { param: name });
}

/** A whole number within bounds, or the default if there is none. */
export function wholeNumber(value: unknown, name: string, bounds: Bounds, status = 400): number {
  if (value === undefined || value === null) return bounds.otherwise;
  const number = typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= bounds.min && number <= bounds.max) {
    return number;
  }
  throw new Refusal(status, `Invalid ${name}: must be from ${bounds.min} to ${bounds.max}`, { param: name });
}

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly otherwise: number;
}

/** One of the words, or the default if there is none. */
export function oneOf<const Word extends string, Default>(
  value: unknown,
  name: string,
  words: readonly Word[],
  otherwise: Default,
  status = 400,
): Word | Default {
  if (value === undefined || value === null) return otherwise;
  const word = words.find((known) => known === value);
  if (word !== undefined) return word;
  throw new Refusal(status, `Invalid ${name}. Must be one of ${words.join(", ")}.`, { param: name });
}

/** A list of host names without scheme and path; empty if there is none. */
export function domainList(value: unknown, name: string, max: number, status = 400): readonly string[] {
  if (value === undefined || value === null) return [];
  const isList = Array.isArray(value) && value.every((each) => typeof each === "string");
  if (!isList || value.length > max) {
    throw new Refusal(status, `Invalid ${name}: a list of at most ${max} domains`, { param: name });
  }
  const list: readonly string[] = value;
  const invalid = list.filter((domain) => !/^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(domain));
  if (invalid.length === 0) return list;
  throw new Refusal(status, `All domains in ${name} are invalid: ${JSON.stringify(invalid)}`, { param: name });
}

export function flag(value: unknown, name: string, status = 400): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === "boolean") return value;
  throw new Refusal(status, `Invalid ${name}: must be a boolean`, { param: name });
}

/** Days that a word for a range of time stands for; null if there is no word. */
export function daysOf(range: "day" | "week" | "month" | "year" | null): number | null {
  return range === null ? null : { day: 1, week: 7, month: 31, year: 365 }[range];
}

/** The names of a body's parameters. */
export function namesOf(body: JsonObject): string[] {
  return Object.keys(body);
}

/** Checks the form of a text, if there is one. */
export function checkForm(value: unknown, name: string, form: RegExp, status = 400): void {
  if (value === undefined || value === null || (typeof value === "string" && form.test(value))) return;
  throw new Refusal(status, `Invalid parameter: ${name}`, { param: name });
}
