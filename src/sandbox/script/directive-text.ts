/** A directive found in a message. */
export interface DirectiveText {
  /** Empty if it is never closed. */
  readonly json: string;
  /** The message without it. */
  readonly remainingText: string;
}

const opening = /\[\[sandbox:\s*/;
const closing = /^\s*\]\]/;

/** Finds `[[sandbox: {...}]]` in a text; null if there is none. */
export function findDirectiveText(text: string): DirectiveText | null {
  const opened = opening.exec(text);
  if (opened === null) return null;
  const start = opened.index + opened[0].length;
  const end = endOfObject(text, start);
  const closed = end === null ? null : closing.exec(text.slice(end, end + 64));
  if (end === null || closed === null) return { json: "", remainingText: "" };
  const before = text.slice(0, opened.index);
  return { json: text.slice(start, end), remainingText: (before + text.slice(end + closed[0].length)).trim() };
}

/** The position after the JSON object that begins at `start`: brackets inside strings do not count. */
function endOfObject(text: string, start: number): number | null {
  let depth = 0;
  let inString = false;
  for (let position = start; position < text.length; position += 1) {
    const character = text[position];
    if (inString) {
      if (character === "\\") position += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{") depth += 1;
    else if (character === "}") {
      depth -= 1;
      if (depth === 0) return position + 1;
    } else if (depth === 0) return null;
  }
  return null;
}
