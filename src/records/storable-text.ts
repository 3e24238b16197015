/** Text that outsiders chose is cut to this many UTF-16 units: an index has to hold it. */
const maxText = 512;

// eslint-disable-next-line no-control-regex
const unstorable = /[\u0000\ud800-\udfff]/;

/** Text that any database takes: no NUL, no half of a surrogate pair, not longer than an index can hold. */
export function storableText(text: string): string {
  if (text.length <= maxText && !unstorable.test(text)) return text;
  return text.slice(0, maxText).toWellFormed().replaceAll("\0", "\ufffd");
}
