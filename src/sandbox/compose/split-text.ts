/** Splits a text into words, each with the space before it, like the tokens of a model. */
export function splitIntoWords(text: string): readonly string[] {
  return text.match(/\s*\S+(?:\s+$)?|\s+$/g) ?? [];
}

/** Splits a text into `count` chunks of nearly equal length, never inside a character; fewer if it is too short. */
export function splitIntoPieces(text: string, count: number): readonly string[] {
  const characters = Array.from(text);
  const pieces = Math.min(count, characters.length);
  return Array.from({ length: pieces }, (_, index) => {
    const start = Math.floor((index * characters.length) / pieces);
    const end = Math.floor(((index + 1) * characters.length) / pieces);
    return characters.slice(start, end).join("");
  });
}

/** Truncates the given chunks to this text. */
export function cutPieces(pieces: readonly string[], text: string): readonly string[] {
  const kept: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    if (length >= text.length) break;
    kept.push(piece.slice(0, text.length - length));
    length += piece.length;
  }
  return kept;
}
