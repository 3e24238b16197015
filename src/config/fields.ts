import { z } from "zod";

/**
 * The kinds of field that the schema is made of. In each, the message of an issue is what is allowed there, so that
 * every error can say it; the message for unknown names is the list of the names that are known.
 */

/** A map with these names and no others. A name without a value is as if left out. */
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

/** The names as an issue's message holds them. */
export function joinNames(names: readonly string[]): string {
  return names.join(", ");
}

/** The names out of such a message. */
export function splitNames(message: string): string[] {
  return message.split(", ");
}

export function list<Item extends z.ZodType>(item: Item, what: string, most: number, least = 0) {
  const allowed = least === 0 ? `a list of at most ${most} ${what}` : `a list of ${least} to ${most} ${what}`;
  return z.array(item, { error: allowed }).min(least, { error: allowed }).max(most, { error: allowed });
}

export function wholeNumber(least: number, most: number, unit = "") {
  const error = `a whole number${unit === "" ? "" : ` of ${unit}`} from ${least} to ${most}`;
  return z.number({ error }).int({ error }).min(least, { error }).max(most, { error });
}

export function anyNumber(least: number, most: number) {
  const error = `a number from ${least} to ${most}`;
  return z.number({ error }).min(least, { error }).max(most, { error });
}

export function oneOf<const Values extends readonly string[]>(values: Values) {
  return z.enum(values, { error: `one of ${values.join(", ")}` });
}

/** Text of 1 to `most` characters that matches, described by `what`. */
export function text(most: number, pattern: RegExp, what: string) {
  const error = `${what} of 1 to ${most} characters`;
  return z.string({ error }).min(1, { error }).max(most, { error }).regex(pattern, { error });
}

export function flag() {
  return z.boolean({ error: "true or false" });
}

/** A value that `read` turns into another; undefined from it refuses the value. */
export function readBy<Result>(allowed: string, read: (value: unknown) => Result | undefined) {
  return z.unknown().transform((value, context): Result => {
    const result = read(value);
    if (result !== undefined) return result;
    context.addIssue({ code: "custom", message: allowed });
    return z.NEVER;
  });
}
