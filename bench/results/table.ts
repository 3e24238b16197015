/** A table as text: the first column to the left, figures to the right, one blank line after it. */
export function formatTable(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]) =>
    `  ${widths.map((width, column) => align(cells[column] ?? "", width, column)).join("   ")}`.trimEnd();
  return [title, line(head), line(widths.map((width) => "-".repeat(width))), ...rows.map(line), "", ""].join("\n");
}

/** A figure with thousands separated. */
export function figure(value: number | null | undefined, digits = 0): string {
  if (value === null || value === undefined) return "-";
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** One figure as a multiple of another. */
export function ratio(value: number | null | undefined, baseline: number | null | undefined): string {
  return value && baseline ? `${(value / baseline).toFixed(2)}x` : "-";
}

function align(cell: string, width: number, column: number): string {
  return column === 0 ? cell.padEnd(width) : cell.padStart(width);
}
