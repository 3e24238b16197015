import type { Finding } from "../billing/audit.ts";
import type { AuditRun } from "./audit-run.ts";

const seconds = (ms: number) => Math.floor(ms / 1000);

/** An audit in the admin API, without what it found. Times are in Unix seconds. */
export function auditView({ id, status, startedBy, startedAt, endedAt, progress, counts, error }: AuditRun) {
  const { partsDone, parts, found } = progress;
  return {
    object: "audit",
    id,
    status,
    started_by: startedBy,
    started_at: seconds(startedAt),
    ended_at: endedAt === null ? null : seconds(endedAt),
    progress: status === "completed" ? 1 : parts === 0 ? 0 : partsDone / parts,
    findings: found,
    accounts: counts?.accounts ?? null,
    entries: counts?.entries ?? null,
    records: counts?.records ?? null,
    error,
  };
}

/** The same with what it found. */
export function fullAuditView(audit: AuditRun & { readonly findings: readonly Finding[] }) {
  const data = audit.findings.map(({ kind, subject, message }) => {
    return { kind, subject, message, concerns: concernOf(kind, subject) };
  });
  return { ...auditView(audit), data };
}

/** Where to look at what does not agree. The account of an entry without a record is not in the finding. */
function concernOf(kind: Finding["kind"], id: string) {
  switch (kind) {
    case "charge":
    case "hold":
    case "line_items":
    case "tokens":
      return { kind: "request", id };
    case "balance":
    case "held":
    case "leased":
    case "overdrawn":
      return { kind: "account", id };
    case "budget":
      return { kind: "budget", id };
    case "unknown_account":
    case "missing_record":
    case "rollup":
      return null;
  }
}
