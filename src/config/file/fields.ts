import { z } from "zod";

/**
 * The types of fields in the schema. The message of an issue is always the allowed value; for an unknown name it is the
 * list of known names.
 */

/** A map with these names and no others. A name with a null value counts as absent. */
export function section<Shape extends z.ZodRawShape>(shape: Shape) {
  const names = Object.keys(shape);
  const known = new Set(names);
  const strict = z.strictObject(shape, {
    error: (issue) => (issue.code === "unrecognized_keys" ? joinNames(names) : `a map with ${joinNames(names)}`),
  });
  return z.preprocess((value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).filter(([name, item]) => item !== null || !known.has(name)));
  }, strict);
}

/** Formats a list of names as a message. */
export function joinNames(names: readonly string[]): string {
  return names.join(", ");
}

/** Parses the message of `joinNames`. */
export function splitNames(message: string): string[] {
  return message.split(", ");
}

export function list<Item extends z.ZodType>(item: Item, items: string, max: number, min = 0) {
  const allowed = min === 0 ? `a list of at most ${max} ${items}` : `a list of ${min} to ${max} ${items}`;
  return z.array(item, { error: allowed }).min(min, { error: allowed }).max(max, { error: allowed });
}

export function wholeNumber(min: number, max: number, unit = "") {
  const error = `a whole number${unit === "" ? "" : ` of ${unit}`} from ${min} to ${max}`;
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

export function anyNumber(min: number, max: number) {
  const error = `a number from ${min} to ${max}`;
  return z.number({ error }).min(min, { error }).max(max, { error });
}

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: `one of ${values.join(", ")}` });
}

/** Text of 1 to `max` characters that matches `pattern`. */
export function text(max: number, pattern: RegExp, description: string) {
  const error = `${description} of 1 to ${max} characters`;
  return z.string({ error }).min(1, { error }).max(max, { error }).regex(pattern, { error });
}

export function flag() {
  return z.boolean({ error: "true or false" });
}

/** A value converted by `read`, which returns undefined if it is invalid. */
export function readBy<Result>(allowed: string, read: (value: unknown) => Result | undefined) {
  return z.unknown().transform((value, context): Result => {
    const result = read(value);
    if (result !== undefined) return result;
    context.addIssue({ code: "custom", message: allowed });
    return z.NEVER;
  });
}
