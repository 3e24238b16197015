/** Formats rows with aligned columns; the first row is the header. `right` lists the right-aligned columns. */
export function formatTable(rows: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, column) => (widths[column] = Math.max(widths[column] ?? 0, cell.length)));
  }
  const pad = (cell: string, column: number) =>
    right.includes(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0);
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

export { formatUsd } from "../billing/usd.ts";
