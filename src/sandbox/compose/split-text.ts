/** Cuts a text into words, each with the space before it: how a model's tokens usually look on the wire. */
export function splitIntoWords(text: string): readonly string[] {
  return text.match(/\s*\S+(?:\s+$)?|\s+$/g) ?? [];
}

/** Cuts a text into so many pieces of nearly equal length, never inside a character; fewer where it is too short. */
export function splitIntoPieces(text: string, count: number): readonly string[] {
  const characters = Array.from(text);
  const pieces = Math.min(count, characters.length);
  return Array.from({ length: pieces }, (_, index) => {
    const start = Math.floor((index * characters.length) / pieces);
    const end = Math.floor(((index + 1) * characters.length) / pieces);
    return characters.slice(start, end).join("");
  });
}

/** The given pieces as far as they make up this text, of which they may be longer. */
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
