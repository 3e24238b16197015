import type { Generated } from "kysely";

/** An audit that was begun from the admin API. */
export interface AuditRow {
  id: string;
  /** One that runs is the only one. */
  status: string;
  /** The actor, as JSON. */
  started_by: string;
  started_at: number;
  /** When the process that runs it last told how far it is. */
  seen_at: number;
  ended_at: number | null;
  /** 1: it is to end. */
  is_cancelled: Generated<number>;
  parts_done: Generated<number>;
  parts: Generated<number>;
  /** What was looked at, as JSON; null unless it is completed. */
  counts: string | null;
  found: Generated<number>;
  /** The first findings, as JSON. */
  findings: Generated<string>;
  error: string | null;
}
