import type { Kysely } from "kysely";
import type { ClientBase, Pool } from "pg";
import { budgetCreated, budgetRemoved } from "../../billing/budgets/budget-view.ts";
import { type BudgetStore, neverExpires, type NewPeriod } from "../../billing/budgets/budget-store.ts";
import { budgetToRow, createBudgetQueries, percentsOf, rowToBudget, rowToCounter } from "../queries/budget-queries.ts";
import { countBefore, holdOfCounter, newestRequestTime } from "../queries/budget-sql.ts";
import type { BudgetCounterRow, BudgetPeriodRow, BudgetRow, RequestRow, Tables } from "../schema.ts";
import type { PostgresTrail } from "./trail.ts";
import { inTransaction } from "./transaction.ts";

/** Budgets on Postgres. A hold is one statement, which locks the row of its counter. */
export function createPostgresBudgetStore(pool: Pool, db: Kysely<Tables>, trail: PostgresTrail): BudgetStore {
  const queries = createBudgetQueries(db);
  return {
    ...queries,
    set: (budget, periods, by) =>
      inTransaction(pool, async (client) => {
        // Records that are being booked come first, and are summed; later ones find the budget.
        await client.query("lock table ledger_entries in share mode");
        await client.query("insert into budgets select * from json_populate_record(null::budgets, $1)", [
          JSON.stringify(budgetToRow(budget)),
        ]);
        const thresholds = budget.notify.map((percent) => ({ budget_id: budget.id, percent }));
        await client.query(
          "insert into budget_thresholds select * from json_populate_recordset(null::budget_thresholds, $1)",
          [JSON.stringify(thresholds)],
        );
        const added = periods.map((period) => ({ budgetId: budget.id, ...period }));
        await insertPeriods(client, added, await newestTime(client));
        await client.query("update budget_changes set changes = changes + 1");
        await trail.add(client, budgetCreated(budget, by));
      }),
    async addPeriods(periods) {
      const { rows } = await pool.query<BudgetPeriodRow>(missingPeriods, [periodsJson(periods)]);
      if (rows.length === 0) return;
      const missing = rows.map((row) => ({ budgetId: row.budget_id, startsAt: row.starts_at, endsAt: row.ends_at }));
      await inTransaction(pool, async (client) => {
        const newest = await newestTime(client);
        if (missing.some(({ startsAt }) => startsAt <= newest)) {
          await client.query("lock table ledger_entries in share mode");
        }
        await insertPeriods(client, missing, newest);
      });
    },
    remove: (id, by) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<BudgetRow>("delete from budgets where id = $1 returning *", [id]);
        if (rows[0] === undefined) return false;
        const { rows: thresholds } = await client.query<{ percent: number }>(
          "delete from budget_thresholds where budget_id = $1 returning percent",
          [id],
        );
        for (const table of ["budget_holds", "budget_periods", "budget_counters"]) {
          await client.query(`delete from ${table} where budget_id = $1`, [id]);
        }
        await client.query("update budget_changes set changes = changes + 1");
        await trail.add(client, budgetRemoved(rowToBudget(rows[0], percentsOf(thresholds)), by));
        return true;
      }),
    async hold(wish) {
      const { requestId, budgetId, startsAt, subject, amountMicrousd, limitMicrousd, process, expiresAt } = wish;
      const { rowCount } = await pool.query({
        name: "hold_budget",
        text: hold,
        values: [budgetId, startsAt, subject, amountMicrousd, limitMicrousd, requestId, process, expiresAt],
      });
      if (rowCount === 1) return null;
      const { rows } = await pool.query<BudgetCounterRow>(
        "select * from budget_counters where budget_id = $1 and starts_at = $2 and subject = $3",
        [budgetId, startsAt, subject],
      );
      // Without one the budget has just been removed.
      return rows[0] ? rowToCounter(rows[0]) : null;
    },
    async reduce(requestId, amount) {
      await pool.query(lower, [requestId, amount]);
    },
    async end(requestId) {
      await pool.query({ name: "end_budget_holds", text: endHolds("request_id = $1"), values: [requestId] });
    },
    async renew(process, expiresAt) {
      await pool.query("update budget_holds set expires_at = $1 where process = $2 and expires_at < $3", [
        expiresAt,
        process,
        neverExpires,
      ]);
    },
    async endExpired(now) {
      await pool.query(endHolds("expires_at <= $1"), [now]);
    },
  };
}

const missingPeriods = `select given.* from json_populate_recordset(null::budget_periods, $1) as given
  where exists (select 1 from budgets where id = given.budget_id)
    and not exists (select 1 from budget_periods as known
      where known.budget_id = given.budget_id and known.starts_at = given.starts_at)`;

function periodsJson(periods: readonly NewPeriod[]): string {
  return JSON.stringify(
    periods.map(({ budgetId, startsAt, endsAt }) => ({ budget_id: budgetId, starts_at: startsAt, ends_at: endsAt })),
  );
}

async function newestTime(client: ClientBase): Promise<number> {
  const { rows } = await client.query<Pick<RequestRow, "created_at">>(newestRequestTime);
  return rows[0]?.created_at ?? 0;
}

/** Adds periods, and counts those that some request may be in. The ledger is locked if there are any. */
async function insertPeriods(client: ClientBase, periods: readonly NewPeriod[], newest: number): Promise<void> {
  const { rows } = await client.query<BudgetPeriodRow>(
    `insert into budget_periods select * from json_populate_recordset(null::budget_periods, $1)
      on conflict (budget_id, starts_at) do nothing returning *`,
    [periodsJson(periods)],
  );
  for (const { budget_id: budget, starts_at: start } of rows) {
    if (start <= newest) await client.query(countBefore("postgres"), [budget, start]);
  }
}

const hold = `with held as (${holdOfCounter})
  insert into budget_holds (request_id, budget_id, starts_at, subject, amount_microusd, process, expires_at)
    select cast($6 as text), budget_id, cast($2 as bigint), cast($3 as text), cast($4 as bigint), cast($7 as text),
      cast($8 as bigint) from held`;

/** Takes what the holds of `given` have lost from their counters. */
const giveBack = `update budget_counters set held_microusd = held_microusd - lost.amount from (
      select budget_id, starts_at, subject, sum(amount) as amount from given group by 1, 2, 3
    ) as lost
    where lost.budget_id = budget_counters.budget_id and lost.starts_at = budget_counters.starts_at
      and lost.subject = budget_counters.subject`;

const endHolds = (which: string) => `with given as (
    delete from budget_holds where ${which} returning budget_id, starts_at, subject, amount_microusd as amount
  ) ${giveBack}`;

const lower = `with locked as (select * from budget_holds where request_id = $1 for update),
  given as (
    update budget_holds set amount_microusd = $2 from locked
      where budget_holds.request_id = locked.request_id and budget_holds.budget_id = locked.budget_id
        and locked.amount_microusd > $2
      returning budget_holds.budget_id, budget_holds.starts_at, budget_holds.subject, locked.amount_microusd - $2 as amount
  ) ${giveBack}`;
