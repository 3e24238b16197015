import type { Kysely, Selectable } from "kysely";
import type { AuditRun, AuditStatus, AuditStore } from "../../audits/audit-run.ts";
import type { AuditCounts, Finding } from "../../billing/audit.ts";
import type { Actor } from "../../changes/change.ts";
import type { AuditRow } from "../audit-row.ts";
import type { Tables } from "../schema.ts";

/** Older ones are removed when one begins. */
const maxKept = 100;
const goneError = "The gateway that ran it has stopped.";

const listed = [
  "id",
  "status",
  "started_by",
  "started_at",
  "seen_at",
  "ended_at",
  "parts_done",
  "parts",
  "counts",
  "found",
  "error",
] as const;

/** The audits that were begun from the admin API, alike on every database. */
export function createAuditStore(db: Kysely<Tables>): AuditStore {
  return {
    async begin({ id, startedBy, startedAt }, aliveSince) {
      await db
        .updateTable("audits")
        .set((row) => ({ status: "failed", error: goneError, ended_at: row.ref("seen_at") }))
        .where("status", "=", "running")
        .where("seen_at", "<", aliveSince)
        .execute();
      const row = { id, status: "running", started_by: JSON.stringify(startedBy), started_at: startedAt };
      for (;;) {
        // An index lets one run at a time.
        const inserted = await db
          .insertInto("audits")
          .values({ ...row, seen_at: startedAt })
          .onConflict((conflict) => conflict.doNothing())
          .returning("id")
          .executeTakeFirst();
        if (inserted !== undefined) break;
        const running = await db.selectFrom("audits").select("id").where("status", "=", "running").executeTakeFirst();
        if (running !== undefined) return running.id;
        // It has ended in between.
      }
      const oldest = db
        .selectFrom("audits")
        .select("id")
        .orderBy("id", "desc")
        .limit(1)
        .offset(maxKept - 1);
      await db.deleteFrom("audits").where("id", "<", oldest).execute();
      return id;
    },
    async report(id, now, { partsDone, parts, found }, findings) {
      const told = { seen_at: now, parts_done: partsDone, parts, found, findings: JSON.stringify(findings) };
      const row = await db
        .updateTable("audits")
        .set(told)
        .where("id", "=", id)
        .where("status", "=", "running")
        .returning("is_cancelled")
        .executeTakeFirst();
      return row === undefined || row.is_cancelled === 1;
    },
    async end(id, now, end, { partsDone, parts, found }, findings) {
      await db
        .updateTable("audits")
        .set({
          status: end.status,
          ended_at: now,
          seen_at: now,
          parts_done: partsDone,
          parts,
          found,
          findings: JSON.stringify(findings),
          counts: end.status === "completed" ? JSON.stringify(end.counts) : null,
          error: end.status === "failed" ? end.error : null,
        })
        .where("id", "=", id)
        .where("status", "=", "running")
        .execute();
    },
    async cancel(id) {
      const { numUpdatedRows } = await db
        .updateTable("audits")
        .set({ is_cancelled: 1 })
        .where("id", "=", id)
        .where("status", "=", "running")
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async list({ limit, after }, aliveSince) {
      let query = db.selectFrom("audits").select(listed);
      if (after !== null) query = query.where("id", "<", after);
      const rows = await query.orderBy("id", "desc").limit(limit).execute();
      return rows.map((row) => rowToRun(row, aliveSince));
    },
    async find(id, aliveSince) {
      const row = await db
        .selectFrom("audits")
        .select([...listed, "findings"])
        .where("id", "=", id)
        .executeTakeFirst();
      if (row === undefined) return null;
      return { ...rowToRun(row, aliveSince), findings: JSON.parse(row.findings) as Finding[] };
    },
  };
}

type ListedRow = Pick<Selectable<AuditRow>, (typeof listed)[number]>;

/** Only this file writes the columns that are JSON. */
function rowToRun(row: ListedRow, aliveSince: number): AuditRun {
  const isGone = row.status === "running" && row.seen_at < aliveSince;
  return {
    id: row.id,
    status: isGone ? "failed" : (row.status as AuditStatus),
    startedBy: JSON.parse(row.started_by) as Actor,
    startedAt: row.started_at,
    endedAt: isGone ? row.seen_at : row.ended_at,
    progress: { partsDone: row.parts_done, parts: row.parts, found: row.found },
    counts: row.counts === null ? null : (JSON.parse(row.counts) as AuditCounts),
    error: isGone ? goneError : row.error,
  };
}
