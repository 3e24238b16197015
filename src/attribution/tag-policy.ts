import { invalidRequest } from "../errors.ts";
import { type Attribution, textToTags } from "./attribution.ts";
import { isTagName, isTagValue, maxTags } from "./tag-grammar.ts";

/** What the tags of an account's requests have to be. */
export interface TagPolicy {
  /** Names of tags that every request must have. */
  readonly required: readonly string[];
  /** The values that tags may have, by name. A name that is not in it may have any. */
  readonly allowed: Readonly<Record<string, readonly string[]>>;
}

/** Values that are allowed for one tag. */
const maxValues = 100;

/** What is wrong with a policy; null if nothing is. */
export function problemOfPolicy({ required, allowed }: TagPolicy): string | null {
  const names = [...required, ...Object.keys(allowed)];
  const badName = names.find((name) => !isTagName(name));
  if (badName !== undefined) return `'${badName.slice(0, 80)}' is not the name of a tag`;
  if (new Set(required).size < required.length) return "a tag is required twice";
  if (new Set(names).size > maxTags) return `it names more than ${maxTags} tags`;
  for (const [name, values] of Object.entries(allowed)) {
    if (values.length === 0 || values.length > maxValues) return `'${name}' must have 1 to ${maxValues} values`;
    const badValue = values.find((value) => !isTagValue(value));
    if (badValue !== undefined) return `'${badValue.slice(0, 80)}' is not the value of a tag`;
  }
  return null;
}

const header = "X-Service-Tags";
/** Values that a message lists. */
const maxShown = 10;

/** Throws a 400 that names the tag that is missing or has a value that is not allowed. */
export function checkTags({ required, allowed }: TagPolicy, { tags: text }: Attribution): void {
  const tags = textToTags(text);
  const missing = required.find((name) => !Object.hasOwn(tags, name));
  if (missing !== undefined) {
    const message = `The account of this API key requires the tag '${missing}': send it in the header ${header}.`;
    throw invalidRequest("missing_parameter", message, header);
  }
  for (const [name, values] of Object.entries(allowed)) {
    const value = Object.hasOwn(tags, name) ? tags[name] : undefined;
    if (value === undefined || values.includes(value)) continue;
    const shown = values.slice(0, maxShown).join(", ") + (values.length > maxShown ? ", ..." : "");
    const message = `The account of this API key does not allow the value '${value}' of the tag '${name}', only: ${shown}.`;
    throw invalidRequest("invalid_parameter", message, header);
  }
}
