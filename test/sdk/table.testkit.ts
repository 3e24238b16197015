/** A table of results, with rows and columns in the order of their first use. */
export interface ResultTable {
  set(row: string, column: string, result: string): void;
  /** A reason, printed once below the table. */
  note(text: string): void;
  write(): string;
}

export function createTable(corner: string, columns: readonly string[]): ResultTable {
  const rows = new Map<string, Map<string, string>>();
  const notes = new Set<string>();
  return {
    set(row, column, result) {
      const cells = rows.get(row) ?? new Map<string, string>();
      cells.set(column, result);
      rows.set(row, cells);
    },
    note: (text) => void notes.add(text),
    write() {
      const body = [...rows].map(([row, cells]) => [row, ...columns.map((column) => cells.get(column) ?? "not run")]);
      const all = [[corner, ...columns], ...body];
      const widths = all[0]?.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0))) ?? [];
      const lines = all.map((line) =>
        line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join("  ")
          .trimEnd(),
      );
      return [...lines, ...[...notes].map((text) => `- ${text}`)].join("\n");
    },
  };
}
