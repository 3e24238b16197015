/** How often each line of each file ran. */
export type LineCounts = ReadonlyMap<string, ReadonlyMap<number, number>>;

/** Reads the `SF` (file) and `DA` (line, count) entries of an lcov report. */
export function readLcov(text: string): LineCounts {
  const files = new Map<string, Map<number, number>>();
  let lines = new Map<number, number>();
  for (const entry of text.split("\n")) {
    const [kind, value] = [entry.slice(0, 3), entry.slice(3)];
    if (kind === "SF:") files.set(value, (lines = new Map()));
    if (kind !== "DA:") continue;
    const [line = 0, count = 0] = value.split(",").map(Number);
    lines.set(line, count);
  }
  return files;
}

/** Files in which some line ran at least `times` times more in `after` than in `before`, in alphabetical order. */
export function filesRunMore(before: LineCounts, after: LineCounts, times: number): string[] {
  const ranMore = ([file, lines]: readonly [string, ReadonlyMap<number, number>]) =>
    [...lines].some(([line, count]) => count - (before.get(file)?.get(line) ?? 0) >= times);
  return [...after]
    .filter(ranMore)
    .map(([file]) => file)
    .toSorted();
}
