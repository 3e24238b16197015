import { Database } from "bun:sqlite";
import type { Auditor } from "../../billing/audit.ts";
import { runAudit } from "../audit/run-audit.ts";
import { retryWhileBusy } from "./busy.ts";

/**
 * Audits an SQLite file on connections of its own.
 * @param recordsPerPart a book of no more records is audited in one thread
 */
export function createSqliteAuditor(path: string, recordsPerPart?: number): Auditor {
  /** Nobody can commit while the readers begin. */
  async function atOneMoment(begin: () => Promise<void>): Promise<void> {
    const writer = new Database(path, { readwrite: true, create: false });
    try {
      await retryWhileBusy(() => void writer.run("begin immediate"));
      await begin();
    } finally {
      writer.close();
    }
  }
  return {
    audit: (onFinding) => runAudit({ target: { kind: "sqlite", path }, recordsPerPart, atOneMoment }, onFinding),
  };
}
