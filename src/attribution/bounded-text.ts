/** Characters of an end user or session, in UTF-16 units. */
export const maxTextLength = 256;

// eslint-disable-next-line no-control-regex
const control = /[\u0000-\u001f\u007f-\u009f]/;
const controls = new RegExp(control, "g");

/** Whether this can be an end user or session as it is. */
export function isPlainText(text: string): boolean {
  return text.length <= maxTextLength && !control.test(text);
}

/**
 * A value that was written for a provider, as an end user or session. It is bounded rather than refused or left out: the
 * provider may take it as it is, and a budget for each end user must not be avoided by a long name. Null if it is no text.
 */
export function boundedText(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const text = value.trim();
  if (text === "") return null;
  if (isPlainText(text)) return text.isWellFormed() ? text : text.toWellFormed();
  return text.slice(0, maxTextLength).toWellFormed().replaceAll(controls, "\ufffd");
}
