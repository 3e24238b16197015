const maxLength = 64;

/** Returns the most similar known name, or null if none is similar enough. */
export function nearestName(name: string, known: Iterable<string>): string | null {
  return nearestNames(name, known, 1)[0] ?? null;
}

/** Returns the known names that are similar enough, the most similar first, at most `max`. */
export function nearestNames(name: string, known: Iterable<string>, max: number): string[] {
  if (name.length > maxLength) return [];
  const plain = simplify(name);
  const maxDistance = Math.max(1, Math.floor(name.length / 3));
  const similar: { readonly candidate: string; readonly distance: number }[] = [];
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) > maxDistance + maxAdded || candidate.length > maxLength) continue;
    const distance = editDistance(plain, simplify(candidate), maxDistance);
    if (distance <= maxDistance) similar.push({ candidate, distance });
  }
  return similar
    .sort((a, b) => a.distance - b.distance)
    .slice(0, max)
    .map(({ candidate }) => candidate);
}

/** Characters that `simplify` may add to a name. */
const maxAdded = 8;

/** Makes `apiKey`, `API-KEY` and `api_key` equal. */
function simplify(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll("-", "_")
    .toLowerCase()
    .slice(0, maxLength + maxAdded);
}

/** Three rows of the table of distances, used in turn: a name is compared with many. */
const rows = [0, 1, 2].map(() => new Uint16Array(maxLength + maxAdded + 1)) as [Uint16Array, Uint16Array, Uint16Array];

/** Edit distance with insertions, deletions, replacements and swaps of neighbours; anything above `max` if it is more. */
function editDistance(from: string, to: string, max: number): number {
  let [beforePrevious, previous, current] = rows;
  for (let column = 0; column <= to.length; column++) previous[column] = column;
  for (let row = 1; row <= from.length; row++) {
    let rowMin = row;
    current[0] = row;
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      );
      const isSwap = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (isSwap) cost = Math.min(cost, at(beforePrevious, column - 2) + 1);
      current[column] = cost;
      if (cost < rowMin) rowMin = cost;
    }
    // A swap reaches back two rows.
    if (rowMin > max + 1) return rowMin;
    [beforePrevious, previous, current] = [previous, current, beforePrevious];
  }
  return at(previous, to.length);
}

function at(row: Uint16Array, column: number): number {
  return row[column] ?? 0;
}
