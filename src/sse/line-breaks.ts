const lineBreaks = /[\u0085\u2028\u2029]/g;

/**
 * Escapes the characters in JSON text that are line breaks to Unicode but not to an event stream. Clients that split a
 * stream with a general function for lines (Python's `str.splitlines`, as Google's SDK does) would cut an event there.
 */
export function escapeLineBreaks(json: string): string {
  // On the path of every event: searching is several times faster than a regular expression.
  if (!json.includes("\u0085") && !json.includes("\u2028") && !json.includes("\u2029")) return json;
  return json.replace(lineBreaks, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
