import { renameSync, writeFileSync } from "node:fs";

/** The file that the watched process writes its report to. */
export const reportVariable = "BENCH_REPORT_FILE";

/** Writes `report()` as JSON to the file that the environment names, whenever the process gets SIGUSR2. */
export function reportOnSignal(report: () => object): void {
  const file = process.env[reportVariable];
  if (file === undefined || !Bun.isMainThread) return;
  process.on("SIGUSR2", () => {
    writeFileSync(`${file}.new`, JSON.stringify(report()));
    // What is read is whole.
    renameSync(`${file}.new`, file);
  });
}
