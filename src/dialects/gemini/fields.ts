import { isObject, type JsonObject } from "../../json/values.ts";

/** A field as it was found: its value, and its path under the name the caller wrote. */
export interface Field {
  readonly value: unknown;
  readonly path: string;
}

/**
 * Reads an object of Google's, whose fields may be written in camelCase or in snake_case, as protocol buffers allow.
 * It remembers the fields that were read, so that all others can be reported.
 */
export interface FieldReader {
  /** The field of this camelCase name. */
  get(name: string): Field;
  /** Paths of the fields that are there and were never asked for. */
  unread(): readonly string[];
}

export function openFields(object: JsonObject, path = ""): FieldReader {
  const prefix = path === "" ? "" : `${path}.`;
  const read = new Set<string>();
  // Nearly all callers write camelCase: then no field is looked for under a second name.
  const hasSnakeCase = Object.keys(object).some((name) => name.includes("_"));
  return {
    get(name) {
      const written = hasSnakeCase ? writtenName(object, name) : name;
      const value = object[written];
      // Most of Google's many fields are not there, and what is not there cannot be passed over.
      if (value !== undefined) read.add(written);
      return { value, path: prefix + written };
    },
    unread: () =>
      Object.keys(object)
        .filter((name) => !read.has(name) && object[name] !== null && object[name] !== undefined)
        .map((name) => prefix + name),
  };
}

/** The name under which an object has this field; the camelCase one if it has it not. */
export function writtenName(object: JsonObject, name: string): string {
  if (object[name] !== undefined) return name;
  const snake = snakeCase(name);
  return object[snake] === undefined ? name : snake;
}

const snakeNames = new Map<string, string>();

export function snakeCase(name: string): string {
  let snake = snakeNames.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(name, snake);
  }
  return snake;
}

/** One item is as good as a list of one, as Google reads it. */
export function itemsOf(value: unknown): unknown {
  return isObject(value) ? [value] : value;
}

/** `models/gemini-2.5-pro` is `gemini-2.5-pro`. */
export function bareModelName(name: string): string {
  return name.startsWith("models/") ? name.slice("models/".length) : name;
}

/** The path of a model below the provider's base URL: `/v1beta/models/gemini-2.5-pro`. Its name may say the folder. */
export function modelPath(model: string): string {
  const name = model.includes("/") ? model : `models/${model}`;
  return `/v1beta/${name.split("/").map(encodeURIComponent).join("/")}`;
}
