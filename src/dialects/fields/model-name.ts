import { invalidParameter, missingParameter } from "../../errors.ts";

/** Longer names are no names. */
const maxModelLength = 256;

/** Checks a model name's form. Whether there is such a model is the router's question. */
export function readModelName(value: unknown): string {
  if (value === undefined || value === null) throw missingParameter("model");
  if (typeof value !== "string") throw invalidParameter("model", "a string");
  if (value === "" || value.length > maxModelLength || /[\u0000-\u001f\u007f]/.test(value)) {
    throw invalidParameter("model", `1 to ${maxModelLength} characters without control characters`);
  }
  return value;
}
