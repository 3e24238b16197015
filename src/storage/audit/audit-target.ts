import type { AuditCounts, AuditObserver } from "../../billing/audit.ts";
import { type AuditRun, runAudit } from "./run-audit.ts";

/** Audits the book of a database on connections of its own. What the other kind of database needs is not loaded. */
export async function auditTarget(run: Omit<AuditRun, "atOneMoment">, observer: AuditObserver): Promise<AuditCounts> {
  const { target } = run;
  if (target.kind === "sqlite") {
    const { atOneMoment } = await import("../sqlite/at-one-moment.ts");
    return runAudit({ ...run, atOneMoment: (begin) => atOneMoment(target.path, begin) }, observer);
  }
  // The first connection exports its snapshot, which the others take.
  return runAudit({ ...run, atOneMoment: (begin) => begin() }, observer);
}
