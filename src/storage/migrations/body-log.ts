import { type Kysely, sql } from "kysely";
import type { Tables } from "../schema.ts";

/** Bodies of the requests of accounts that have them kept, and what they add up to. */
export async function createBodyLog(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  // Ids sort by time byte by byte, whatever the database's language.
  const idType = kind === "postgres" ? sql`text collate "C"` : sql`text`;
  await db.schema
    .createTable("body_log_policies")
    .addColumn("account_id", "text", (column) => column.notNull().primaryKey())
    .addColumn("policy", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("request_bodies")
    .addColumn("id", idType, (column) => column.notNull().primaryKey())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .addColumn("request", "text", (column) => column.notNull())
    .addColumn("answer", "text", (column) => column.notNull())
    .execute();
  await sql`create index request_bodies_by_account on request_bodies (account_id, id)`.execute(db);
  await db.schema
    .createTable("body_log_usage")
    .addColumn("account_id", "text", (column) => column.notNull().primaryKey())
    .addColumn("bytes", "bigint", (column) => column.notNull())
    .addColumn("requests", "bigint", (column) => column.notNull())
    .execute();
  if (kind === "sqlite") await createSqliteTriggers(db);
  else await createPostgresTriggers(db);
}

async function createSqliteTriggers(db: Kysely<Tables>): Promise<void> {
  await sql`create trigger request_bodies_insert after insert on request_bodies begin
    insert into body_log_usage (account_id, bytes, requests) values (new.account_id, new.bytes, 1)
      on conflict (account_id) do update set bytes = bytes + new.bytes, requests = requests + 1;
  end`.execute(db);
  await sql`create trigger request_bodies_delete after delete on request_bodies begin
    update body_log_usage set bytes = bytes - old.bytes, requests = requests - 1 where account_id = old.account_id;
  end`.execute(db);
}

async function createPostgresTriggers(db: Kysely<Tables>): Promise<void> {
  await sql`create function tollgate_bodies_changed() returns trigger language plpgsql as $body$
    begin
      if tg_op = 'INSERT' then
        insert into body_log_usage as kept (account_id, bytes, requests) values (new.account_id, new.bytes, 1)
          on conflict (account_id) do update set bytes = kept.bytes + new.bytes, requests = kept.requests + 1;
      else
        update body_log_usage set bytes = bytes - old.bytes, requests = requests - 1
          where account_id = old.account_id;
      end if;
      return null;
    end $body$`.execute(db);
  await sql`create trigger request_bodies_changed after insert or delete on request_bodies
    for each row execute function tollgate_bodies_changed()`.execute(db);
}
