import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

/** The audit trail. */
export async function createChanges(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  await db.schema
    .createTable("changes")
    .addColumn("sequence", kind === "postgres" ? "bigint" : "integer", (column) =>
      kind === "postgres" ? column.primaryKey().generatedAlwaysAsIdentity() : column.primaryKey().autoIncrement(),
    )
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("actor_kind", "text", (column) => column.notNull())
    .addColumn("actor", "text")
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("subject_id", "text", (column) => column.notNull())
    .addColumn("action", "text", (column) => column.notNull())
    .addColumn("state_before", "text")
    .addColumn("state_after", "text")
    .execute();
  await sql`create index changes_by_subject on changes (kind, subject_id, sequence)`.execute(db);
  await makePermanent(db, kind);
}

/** For the keys that a user was shown. */
export async function indexKeyIssues(db: Kysely<Tables>): Promise<void> {
  await sql`create index changes_key_issues on changes (actor, sequence)
    where kind = 'key' and action in ('create', 'rotate')`.execute(db);
}

/** The trail is only added to, also by hand. */
async function makePermanent(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  if (kind === "sqlite") {
    for (const change of ["update", "delete"]) {
      await sql`create trigger ${sql.raw(`changes_${change}`)} before ${sql.raw(change)} on changes begin
        select raise(abort, 'entries of the audit trail are never changed');
      end`.execute(db);
    }
    return;
  }
  await sql`create function tollgate_trail_changed() returns trigger language plpgsql as $body$
    begin
      raise exception 'entries of the audit trail are never changed';
    end $body$`.execute(db);
  await sql`create trigger changes_changed before update or delete on changes
    for each row execute function tollgate_trail_changed()`.execute(db);
}
