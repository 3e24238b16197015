const maxLength = 64;

/** Returns the most similar known name, or null if none is similar enough. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > maxLength) return null;
  const plain = simplify(name);
  let nearest: string | null = null;
  let minDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of known) {
    if (candidate.length > maxLength) continue;
    const distance = editDistance(plain, simplify(candidate));
    if (distance < minDistance) [nearest, minDistance] = [candidate, distance];
  }
  return nearest;
}

/** Makes `apiKey`, `API-KEY` and `api_key` equal. */
function simplify(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase();
}

/** Edit distance with insertions, deletions, replacements and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, (beforePrevious[column - 2] ?? 0) + 1);
      current.push(cost);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[to.length] ?? 0;
}
