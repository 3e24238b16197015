const maxPlaces = 8;
const maxCharacters = 4000;

/** Finds the places in a text: capitalised names after "in", "for", "at", "of" or "between". */
export function placesIn(text: string): readonly string[] {
  const places = new Set<string>();
  for (const clause of text.slice(0, maxCharacters).matchAll(/\b(?:in|for|at|of|between)\s+([^.?!;]+)/g)) {
    for (const name of (clause[1] ?? "").matchAll(/\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*)*/gu)) {
      if (places.size < maxPlaces) places.add(name[0]);
    }
  }
  return [...places];
}
