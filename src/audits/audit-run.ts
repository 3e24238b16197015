import type { AuditCounts, Finding } from "../billing/audit.ts";
import type { Actor } from "../changes/change.ts";

export const auditStatuses = ["running", "completed", "cancelled", "failed"] as const;

/** `completed`: the whole book was looked at, whatever was found. */
export type AuditStatus = (typeof auditStatuses)[number];

/** An audit that was begun from the admin API. Times are milliseconds since 1970. */
export interface AuditRun {
  readonly id: string;
  readonly status: AuditStatus;
  readonly startedBy: Actor;
  readonly startedAt: number;
  /** Null while it runs. */
  readonly endedAt: number | null;
  readonly progress: AuditProgress;
  /** Null unless it is completed. */
  readonly counts: AuditCounts | null;
  /** The reason of a failure. */
  readonly error: string | null;
}

/** How far an audit is, and what it has found. */
export interface AuditProgress {
  readonly partsDone: number;
  /** Zero until the book has been divided. */
  readonly parts: number;
  /** All findings, of which the first 1,000 are kept. */
  readonly found: number;
}

/** How an audit has ended. */
export type AuditEnd =
  | { readonly status: "completed"; readonly counts: AuditCounts }
  | { readonly status: "cancelled" }
  | { readonly status: "failed"; readonly error: string };

/** Keeps audits and what they found. Implemented by `src/storage`. */
export interface AuditStore {
  /**
   * Begins an audit, unless one is running in any process. One that was not heard of since `aliveSince` counts as failed.
   * @returns the id of the audit that is running, its own or the other's
   */
  begin(run: Pick<AuditRun, "id" | "startedBy" | "startedAt">, aliveSince: number): Promise<string>;
  /** Tells that an audit is running, and how far it is. True if it is to end, since it was cancelled or is no longer running. */
  report(id: string, now: number, progress: AuditProgress, findings: readonly Finding[]): Promise<boolean>;
  /** Ends a running audit; one that is no longer running stays as it is. */
  end(id: string, now: number, end: AuditEnd, progress: AuditProgress, findings: readonly Finding[]): Promise<void>;
  /** Asks the process that runs an audit to end it. False if it is not running. */
  cancel(id: string): Promise<boolean>;
  /** Newest first. @param aliveSince those that were last heard of before count as failed */
  list(
    query: { readonly limit: number; readonly after: string | null },
    aliveSince: number,
  ): Promise<readonly AuditRun[]>;
  find(id: string, aliveSince: number): Promise<(AuditRun & { readonly findings: readonly Finding[] }) | null>;
}
