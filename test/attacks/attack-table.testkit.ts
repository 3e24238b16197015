/** What one attack did to the gateway. */
export interface AttackReport {
  readonly name: string;
  /** The longest time for which the event loop was held by work of its own, in milliseconds. Of several tries the least. */
  readonly stall: number;
  /** The same of the worst try. */
  readonly worst: number;
  /** Memory of the process at its largest, in megabytes (10^6 bytes). */
  readonly peak: number;
  /** By which it was larger than before. */
  readonly growth: number;
  /** Calls that reached the provider and left no record. */
  readonly unrecorded: number;
}

const columns = ["stall ms", "worst ms", "peak MB", "growth MB", "unrecorded"] as const;

/** The reports as a table for people, in lines. */
export function attackTable(reports: readonly AttackReport[]): string {
  const width = Math.max(6, ...reports.map(({ name }) => name.length));
  const row = (name: string, cells: readonly string[]) =>
    `${name.padEnd(width)}  ${cells.map((cell, at) => cell.padStart(columns[at]?.length ?? 0)).join("  ")}\n`;
  const lines = reports.map(({ name, stall, worst, peak, growth, unrecorded }) => {
    const figures = [stall, worst, peak, growth].map((figure) => figure.toFixed(1));
    return row(name, [...figures, String(unrecorded)]);
  });
  return `\n${row("attack", columns)}${lines.join("")}`;
}
