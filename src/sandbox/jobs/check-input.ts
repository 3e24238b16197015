import { isObject, type JsonObject } from "../json.ts";

/** What is wrong with a field of an input. */
export interface InputProblem {
  readonly field: string;
  readonly message: string;
  readonly type: "missing" | "extra_forbidden" | "value_error";
}

/** The form of a field: a type, the words that it may be, or whole numbers between two. Optional unless `required`. */
export interface InputField {
  readonly type: "text" | "url" | "urls" | "boolean" | "number" | "pixels" | "any";
  readonly required?: true;
  readonly words?: readonly (string | number)[];
  readonly min?: number;
  readonly max?: number;
}

export type InputShape = Readonly<Record<string, InputField>>;

/** The first thing that is wrong with an input; null if it is good. A shape that is null takes anything with a prompt. */
export function checkInput(input: JsonObject, shape: InputShape | null): InputProblem | null {
  const fields: InputShape = shape ?? { prompt: { type: "text", required: true } };
  for (const [field, form] of Object.entries(fields)) {
    const value = input[field];
    if (value === undefined || value === null) {
      if (form.required) return { field, message: "Field required", type: "missing" };
      continue;
    }
    const message = problemOf(value, form);
    if (message !== null) return { field, message, type: "value_error" };
  }
  const unknown = shape === null ? undefined : Object.keys(input).find((name) => !(name in fields));
  if (unknown === undefined) return null;
  return { field: unknown, message: "Extra inputs are not permitted", type: "extra_forbidden" };
}

function problemOf(value: unknown, { type, words, min = 0, max = Infinity }: InputField): string | null {
  if (words !== undefined) {
    return words.some((word) => word === value) ? null : `Input should be one of ${words.join(", ")}`;
  }
  switch (type) {
    case "text":
      return typeof value === "string" && value !== "" ? null : "Input should be a valid string";
    case "url":
      return isUrl(value) ? null : "Input should be a valid URL";
    case "urls":
      return Array.isArray(value) && value.length > 0 && value.every(isUrl) ? null : "Input should be a list of URLs";
    case "boolean":
      return typeof value === "boolean" ? null : "Input should be a valid boolean";
    case "number":
      return typeof value === "number" && value >= min && value <= max ? null : `Input should be from ${min} to ${max}`;
    case "pixels":
      return isObject(value) && Number.isInteger(value.width) && Number.isInteger(value.height)
        ? null
        : "Input should have a width and a height";
    case "any":
      return null;
  }
}

function isUrl(value: unknown): boolean {
  return typeof value === "string" && /^(https?:\/\/|data:[\w.+-]+\/[\w.+-]+;base64,)/.test(value);
}
