import type { Auditor } from "../../billing/audit.ts";
import { runAudit } from "../audit/run-audit.ts";

/**
 * Audits a Postgres database on connections of its own. The first exports its snapshot, which the others take.
 * @param recordsPerPart a book of no more records is audited in one thread
 */
export function createPostgresAuditor(url: string, recordsPerPart?: number): Auditor {
  const target = { kind: "postgres", url } as const;
  return { audit: (onFinding) => runAudit({ target, recordsPerPart, atOneMoment: (begin) => begin() }, onFinding) };
}
