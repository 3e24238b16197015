import type { Auditor } from "../../billing/audit.ts";
import { auditTarget } from "../audit/audit-target.ts";
import { auditInBackground } from "../audit/background-audit.ts";

/**
 * Audits an SQLite file on connections of its own.
 * @param recordsPerPart a book of no more records is audited in one thread
 */
export function createSqliteAuditor(path: string, recordsPerPart?: number): Auditor {
  const target = { kind: "sqlite", path } as const;
  return {
    audit: (onFinding) => auditTarget({ target, recordsPerPart }, { onFinding }),
    auditInBackground: (observer) => auditInBackground({ target, recordsPerPart: recordsPerPart ?? null }, observer),
  };
}
