import type { Auditor } from "../../billing/audit.ts";
import { auditTarget } from "../audit/audit-target.ts";
import { auditInBackground } from "../audit/background-audit.ts";

/**
 * Audits a Postgres database on connections of its own.
 * @param recordsPerPart a book of no more records is audited in one thread
 */
export function createPostgresAuditor(url: string, recordsPerPart?: number): Auditor {
  const target = { kind: "postgres", url } as const;
  return {
    audit: (onFinding) => auditTarget({ target, recordsPerPart }, { onFinding }),
    auditInBackground: (observer) => auditInBackground({ target, recordsPerPart: recordsPerPart ?? null }, observer),
  };
}
