import type { Kysely } from "kysely";
import type { Pool } from "pg";
import { budgetCreated, budgetRemoved } from "../../billing/budgets/budget-view.ts";
import { type BudgetStore, neverExpires } from "../../billing/budgets/budget-store.ts";
import { budgetToRow, createBudgetQueries, percentsOf, rowToBudget, rowToCounter } from "../queries/budget-queries.ts";
import { countBefore, holdOfCounter } from "../queries/budget-sql.ts";
import type { BudgetCounterRow, BudgetRow, Tables } from "../schema.ts";
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
        const rows = periods.map(({ startsAt, endsAt }) => {
          return { budget_id: budget.id, starts_at: startsAt, ends_at: endsAt };
        });
        await client.query(
          "insert into budget_periods select * from json_populate_recordset(null::budget_periods, $1)",
          [JSON.stringify(rows)],
        );
        await client.query(countBefore({ search: "strpos" }), [budget.id]);
        await client.query("update budget_changes set changes = changes + 1");
        await trail.add(client, budgetCreated(budget, by));
      }),
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
