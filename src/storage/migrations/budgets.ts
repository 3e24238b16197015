import { type Kysely, sql } from "kysely";
import { countCharge, payloadFields, recountAll, thresholdId } from "../queries/budget-sql.ts";
import type { Tables } from "../schema.ts";

/** Budgets, their counters and holds, with the triggers that count what the ledger books and write events. */
export async function createBudgets(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  await createTables(db);
  await (kind === "sqlite" ? countOnSqlite(db) : countOnPostgres(db));
}

async function createTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("budgets")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("account_id", "text")
    .addColumn("key_id", "text")
    .addColumn("model", "text")
    .addColumn("tag", "text")
    .addColumn("end_user", "text")
    .addColumn("session", "text")
    .addColumn("each_of", "text")
    .addColumn("amount_microusd", "bigint", (column) => column.notNull())
    .addColumn("per", "text", (column) => column.notNull())
    .addColumn("time_zone", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("budget_thresholds")
    .addColumn("budget_id", "text", (column) => column.notNull())
    .addColumn("percent", "integer", (column) => column.notNull())
    .addPrimaryKeyConstraint("budget_thresholds_key", ["budget_id", "percent"])
    .execute();
  await db.schema
    .createTable("budget_periods")
    .addColumn("budget_id", "text", (column) => column.notNull())
    .addColumn("starts_at", "bigint", (column) => column.notNull())
    .addColumn("ends_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("budget_periods_key", ["budget_id", "starts_at"])
    .execute();
  await db.schema
    .createTable("budget_counters")
    .addColumn("budget_id", "text", (column) => column.notNull())
    .addColumn("starts_at", "bigint", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("spent_microusd", "bigint", (column) => column.notNull())
    .addColumn("held_microusd", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("budget_counters_key", ["budget_id", "starts_at", "subject"])
    .execute();
  await db.schema
    .createTable("budget_holds")
    .addColumn("request_id", "text", (column) => column.notNull())
    .addColumn("budget_id", "text", (column) => column.notNull())
    .addColumn("starts_at", "bigint", (column) => column.notNull())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("amount_microusd", "bigint", (column) => column.notNull())
    .addColumn("process", "text", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("budget_holds_key", ["request_id", "budget_id"])
    .execute();
  await db.schema
    .createTable("budget_changes")
    .addColumn("changes", "bigint", (column) => column.notNull())
    .execute();
  await db.insertInto("budget_changes").values({ changes: 0 }).execute();
}

/** The names and values of a JSON object, as SQL. */
const payload = Object.entries(payloadFields).map(([name, value]) => `'${name}', ${value}`);

/** What the databases write differently. */
interface Dialect {
  /** The payload. */
  readonly object: string;
  /** The subject in hexadecimal digits. */
  readonly hex: string;
  readonly now: string;
}

/** @param before what was spent before the change */
const writeEvents = (before: string, { object, hex, now }: Dialect) => `
  insert into outbox (id, kind, account_id, payload, created_at, next_attempt_at)
    select ${thresholdId(hex)}, case when percent < 100 then 'budget.threshold' else 'budget.exceeded' end,
      coalesce(budgets.account_id, ''), ${object}, ${now}, ${now}
    from budgets join budget_thresholds on budget_thresholds.budget_id = budgets.id
      join budget_periods on budget_periods.budget_id = budgets.id and budget_periods.starts_at = new.starts_at
    where budgets.id = new.budget_id and new.spent_microusd * 100 >= amount_microusd * percent
      and new.spent_microusd > ${before} and ${before} * 100 < amount_microusd * percent
    on conflict (id) do nothing`;

/** The triggers count for a budget of a model what that model has served, by whatever name it was asked for. */
export async function countServedModels(db: Kysely<Tables>, kind: "sqlite" | "postgres"): Promise<void> {
  if (kind === "sqlite") {
    await sql`drop trigger ledger_entries_counted`.execute(db);
    await countEntriesOnSqlite(db);
  } else await countEntriesOnPostgres(db);
  // What was spent so far is counted again. Thresholds that this crosses have their events.
  await sql`insert into budget_counters (budget_id, starts_at, subject, spent_microusd, held_microusd)
    select budget_id, starts_at, subject, spent, 0 from (${sql.raw(recountAll(kind))}) as recounted
      where budget_id in (select id from budgets where model is not null)
    on conflict (budget_id, starts_at, subject) do update set spent_microusd = excluded.spent_microusd`.execute(db);
}

async function countEntriesOnSqlite(db: Kysely<Tables>): Promise<void> {
  await sql`create trigger ledger_entries_counted after insert on ledger_entries
    when new.kind in ('charge', 'release') and exists (select 1 from budgets) begin
      ${sql.raw(countCharge("sqlite", "(select new.request_id as request_id, new.kind as kind, new.amount_microusd as amount_microusd) as added"))};
      update budget_counters set held_microusd = held_microusd - ended.amount_microusd from budget_holds as ended
        where ended.request_id = new.request_id and ended.budget_id = budget_counters.budget_id
          and ended.starts_at = budget_counters.starts_at and ended.subject = budget_counters.subject;
      delete from budget_holds where request_id = new.request_id;
    end`.execute(db);
}

async function countOnSqlite(db: Kysely<Tables>): Promise<void> {
  await countEntriesOnSqlite(db);
  const dialect = {
    object: `json_object(${payload.join(", ")})`,
    hex: "lower(hex(new.subject))",
    now: "cast(unixepoch('subsec') * 1000 as integer)",
  };
  await sql`create trigger budget_counters_inserted after insert on budget_counters begin
      ${sql.raw(writeEvents("0", dialect))};
    end`.execute(db);
  await sql`create trigger budget_counters_updated after update of spent_microusd on budget_counters begin
      ${sql.raw(writeEvents("old.spent_microusd", dialect))};
    end`.execute(db);
}

async function countEntriesOnPostgres(db: Kysely<Tables>): Promise<void> {
  // Each statement of a function sees what was committed before it: also a budget that was set while this one waited.
  await sql`create or replace function tollgate_count_charges() returns trigger language plpgsql as $body$
    begin
      if not exists (select 1 from budgets) then return null; end if;
      ${sql.raw(countCharge("postgres", "added"))};
      with ended as (
        delete from budget_holds using added
          where added.kind in ('charge', 'release') and budget_holds.request_id = added.request_id
          returning budget_holds.budget_id, budget_holds.starts_at, budget_holds.subject, budget_holds.amount_microusd
      )
      update budget_counters set held_microusd = held_microusd - ended.amount from (
          select budget_id, starts_at, subject, sum(amount_microusd) as amount from ended group by 1, 2, 3
        ) as ended
        where ended.budget_id = budget_counters.budget_id and ended.starts_at = budget_counters.starts_at
          and ended.subject = budget_counters.subject;
      return null;
    end $body$`.execute(db);
}

async function countOnPostgres(db: Kysely<Tables>): Promise<void> {
  await countEntriesOnPostgres(db);
  await sql`create trigger ledger_entries_counted after insert on ledger_entries
    referencing new table as added for each statement execute function tollgate_count_charges()`.execute(db);
  const dialect = {
    object: `json_build_object(${payload.join(", ")})::text`,
    hex: "encode(convert_to(new.subject, 'UTF8'), 'hex')",
    now: "floor(extract(epoch from clock_timestamp()) * 1000)::bigint",
  };
  for (const [change, before] of [
    ["insert", "0"],
    ["update", "old.spent_microusd"],
  ] as const) {
    await sql`create function ${sql.raw(`tollgate_budget_${change}`)}() returns trigger language plpgsql as $body$
      begin
        ${sql.raw(writeEvents(before, dialect))};
        return null;
      end $body$`.execute(db);
    const event = change === "insert" ? "insert" : "update of spent_microusd";
    await sql`create trigger ${sql.raw(`budget_counters_${change}`)} after ${sql.raw(event)} on budget_counters
      for each row execute function ${sql.raw(`tollgate_budget_${change}`)}()`.execute(db);
  }
}
