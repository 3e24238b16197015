/** The tokenizer's time grows with the square of what it cannot split into words: 16,000 Chinese characters, 500 ms. */
const maxCharacters = 512;

/**
 * A text in slices of at most 512 characters, cut before a space if there is one (as the tokenizer itself does, so
 * that nothing is counted differently) and never inside a character.
 */
export function* slicesOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > maxCharacters) {
    const end = cutBetween(text, start, start + maxCharacters);
    yield text.slice(start, end);
    start = end;
  }
  if (start < text.length) yield text.slice(start);
}

function cutBetween(text: string, start: number, latest: number): number {
  const space = text.lastIndexOf(" ", latest);
  if (space > start && text.charAt(space - 1) !== " ") return space;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(latest - 1)) && /[\udc00-\udfff]/.test(text.charAt(latest));
  return splitsPair ? latest - 1 : latest;
}
