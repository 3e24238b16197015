import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { unattributed } from "../../attribution/attribution.ts";
import { type CompactRecord, compactRecord } from "../compact-record.ts";
import type { RecordsLog } from "../log.ts";
import type { UsageRecord } from "../record.ts";
import { removeIfThere } from "./remove-if-there.ts";

/** Records that the store does not take whatever is done: one JSON object a line, for an operator to look at. */
export interface RejectedFile {
  /** Throws if the file would exceed its maximum or cannot be written. */
  append(record: UsageRecord): void;
  /**
   * Gives the journal the records of `retry.jsonl`, by which name an operator has them tried again, and removes it. Without
   * room for all of them it stays for the next start.
   */
  takeBack(append: (records: readonly CompactRecord[]) => void): void;
}

/** Records that the journal is given at once. */
const batch = 128;

export function createRejectedFile(folder: string, maxBytes: number, log: RecordsLog): RejectedFile {
  const path = join(folder, "rejected.jsonl");
  const retryPath = join(folder, "retry.jsonl");

  function appendLine(line: string): void {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    if (size + Buffer.byteLength(line) >= maxBytes) throw new Error(`${path} is full (${size} of ${maxBytes} bytes).`);
    appendFileSync(path, `${line}\n`, { mode: 0o600 });
  }

  /** Null for a line that cannot be read, which goes back to where it came from. */
  function readLine(line: string): CompactRecord | null {
    try {
      // `append` wrote it, perhaps of a version without attribution.
      const record = JSON.parse(line) as UsageRecord;
      return compactRecord({ ...record, attribution: record.attribution ?? unattributed });
    } catch (error) {
      log.error(
        { file: retryPath, error: String(error) },
        "a line of retry.jsonl is not a record; it goes to rejected.jsonl",
      );
      appendLine(line);
      return null;
    }
  }

  return {
    append: (record) => appendLine(JSON.stringify(record)),
    takeBack(append) {
      if (!existsSync(retryPath)) return;
      try {
        const lines = readFileSync(retryPath, "utf8")
          .split("\n")
          .filter((line) => line !== "");
        const records = lines.map(readLine).filter((record) => record !== null);
        for (let at = 0; at < records.length; at += batch) append(records.slice(at, at + batch));
        removeIfThere(retryPath);
        log.info({ file: retryPath, records: records.length }, "the records of retry.jsonl are tried again");
      } catch (error) {
        log.error(
          { file: retryPath, error: String(error) },
          "retry.jsonl could not be read in; it is kept for the next start",
        );
      }
    },
  };
}
