import { type Tags, tagsToText } from "./attribution.ts";

/** Tags of one request, those of its key included. */
export const maxTags = 16;
/** Characters of the canonical text of all tags: the room that is reserved for a record has to hold them. */
export const maxTagsText = 2_048;

/** The form of a tag, for messages. */
export const tagForm =
  "name=value: a name of 1 to 64 characters from a-z, 0-9, '_', '.' and '-', " +
  "and a value of 1 to 256 printable ASCII characters without ',', '\"' and '\\'";

const namePattern = /^[a-z0-9_.-]{1,64}$/;
/** ASCII from the blank to the tilde, less the comma, the quotation mark and the backslash. */
const valuePattern = /^[ !#-+\--[\]-~]{1,256}$/;

export function isTagName(text: string): boolean {
  return namePattern.test(text);
}

/** Whether this is a tag's value. Blanks may stand within it, not around it. */
export function isTagValue(text: string): boolean {
  return valuePattern.test(text) && text.trim() === text;
}

/** What is wrong with the tags of a key; null if nothing is. */
export function problemOfTags(tags: Tags): string | null {
  const entries = Object.entries(tags);
  const wrong = entries.find(([name, value]) => !isTagName(name) || !isTagValue(value));
  if (wrong !== undefined) return `'${wrong.join("=").slice(0, 80)}' is not ${tagForm}`;
  if (entries.length > maxTags) return `there are more than ${maxTags}`;
  return (tagsToText(tags)?.length ?? 0) > maxTagsText
    ? `they have more than ${maxTagsText} characters, as JSON`
    : null;
}

/** Reads `name=value`, with blanks around either. Null if it is malformed. */
export function readTag(text: string): readonly [name: string, value: string] | null {
  const equals = text.indexOf("=");
  if (equals < 0) return null;
  const name = text.slice(0, equals).trim();
  const value = text.slice(equals + 1).trim();
  return isTagName(name) && isTagValue(value) ? [name, value] : null;
}
