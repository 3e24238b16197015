import type { Database } from "bun:sqlite";
import type { Kysely } from "kysely";
import { budgetCreated, budgetRemoved } from "../../billing/budgets/budget-view.ts";
import type { Budget } from "../../billing/budgets/budget.ts";
import type { Period } from "../../billing/budgets/budget-period.ts";
import {
  type BudgetHoldRequest,
  type NewPeriod,
  type BudgetStore,
  type Counter,
  neverExpires,
} from "../../billing/budgets/budget-store.ts";
import type { Actor } from "../../changes/change.ts";
import { budgetToRow, createBudgetQueries, percentsOf, rowToBudget, rowToCounter } from "../queries/budget-queries.ts";
import { countBefore, holdOfCounter, newestRequestTime } from "../queries/budget-sql.ts";
import type { BudgetCounterRow, BudgetHoldRow, BudgetRow, RequestRow, Tables } from "../schema.ts";
import type { SqliteTrail } from "./trail.ts";

/** Budgets on SQLite. Each change is one synchronous transaction, in which no other process writes. */
export function createSqliteBudgetStore(database: Database, db: Kysely<Tables>, trail: SqliteTrail): BudgetStore {
  // SQLite numbers `$1` by where it stands, and `?1` as it says.
  const holdOne = database.prepare<{ budget_id: string }, [string, number, string, number, number]>(
    holdOfCounter.replaceAll("$", "?"),
  );
  const insertHold = database.prepare<unknown, [string, string, number, string, number, string, number]>(
    `insert into budget_holds (request_id, budget_id, starts_at, subject, amount_microusd, process, expires_at)
      values (?, ?, ?, ?, ?, ?, ?)`,
  );
  const findCounter = database.prepare<BudgetCounterRow, [string, number, string]>(
    "select * from budget_counters where budget_id = ? and starts_at = ? and subject = ?",
  );
  const holdsOf = database.prepare<BudgetHoldRow, [string]>("select * from budget_holds where request_id = ?");
  const expiredHolds = database.prepare<BudgetHoldRow, [number]>("select * from budget_holds where expires_at <= ?");
  const lowerHold = database.prepare<unknown, [number, string, string]>(
    "update budget_holds set amount_microusd = ? where request_id = ? and budget_id = ?",
  );
  const removeHold = database.prepare<unknown, [string, string]>(
    "delete from budget_holds where request_id = ? and budget_id = ?",
  );
  const giveBack = database.prepare<unknown, [number, string, number, string]>(
    `update budget_counters set held_microusd = held_microusd - ?
      where budget_id = ? and starts_at = ? and subject = ?`,
  );
  const renewAll = database.prepare<unknown, [number, string, number]>(
    "update budget_holds set expires_at = ? where process = ? and expires_at < ?",
  );

  const insertPeriod = database.prepare<unknown, [number, number, string]>(
    `insert into budget_periods (budget_id, starts_at, ends_at) select id, ?, ? from budgets where id = ?
      on conflict (budget_id, starts_at) do nothing`,
  );
  const newestRequest = database.prepare<Pick<RequestRow, "created_at">, []>(newestRequestTime);
  const count = database.prepare<unknown, [string, number]>(countBefore("sqlite").replaceAll(/\$(?=\d)/g, "?"));

  function lower(hold: BudgetHoldRow, amount: number): void {
    const { request_id: request, budget_id: budget, starts_at: start, subject, amount_microusd: held } = hold;
    if (amount === 0) removeHold.run(request, budget);
    else if (amount < held) lowerHold.run(amount, request, budget);
    giveBack.run(Math.max(0, held - amount), budget, start, subject);
  }

  const addPeriods = database.transaction((periods: readonly NewPeriod[]) => {
    const newest = newestRequest.get()?.created_at ?? 0;
    for (const { budgetId, startsAt, endsAt } of periods) {
      const isNew = insertPeriod.run(startsAt, endsAt, budgetId).changes > 0;
      if (isNew && startsAt <= newest) count.run(budgetId, startsAt);
    }
  });

  const set = database.transaction((budget: Budget, periods: readonly Period[], by: Actor) => {
    insertRow(database, "budgets", budgetToRow(budget));
    for (const percent of budget.notify) insertRow(database, "budget_thresholds", { budget_id: budget.id, percent });
    addPeriods(periods.map((period) => ({ budgetId: budget.id, ...period })));
    database.run("update budget_changes set changes = changes + 1");
    trail.add(budgetCreated(budget, by));
  });

  const remove = database.transaction((id: string, by: Actor): boolean => {
    const row = database.query<BudgetRow, [string]>("delete from budgets where id = ? returning *").get(id);
    if (row === null) return false;
    const thresholds = database
      .query<{ percent: number }, [string]>("delete from budget_thresholds where budget_id = ? returning percent")
      .all(id);
    for (const table of ["budget_periods", "budget_counters", "budget_holds"]) {
      database.query<unknown, [string]>(`delete from ${table} where budget_id = ?`).run(id);
    }
    database.run("update budget_changes set changes = changes + 1");
    trail.add(budgetRemoved(rowToBudget(row, percentsOf(thresholds)), by));
    return true;
  });

  const hold = database.transaction((wish: BudgetHoldRequest): Counter | null => {
    const { requestId, budgetId, startsAt, subject, amountMicrousd, limitMicrousd, process, expiresAt } = wish;
    if (holdOne.get(budgetId, startsAt, subject, amountMicrousd, limitMicrousd) === null) {
      const row = findCounter.get(budgetId, startsAt, subject);
      // Without one the budget has just been removed.
      return row && rowToCounter(row);
    }
    insertHold.run(requestId, budgetId, startsAt, subject, amountMicrousd, process, expiresAt);
    return null;
  });

  const lowerAll = database.transaction((requestId: string, amount: number) => {
    for (const each of holdsOf.all(requestId)) lower(each, amount);
  });

  const endExpired = database.transaction((now: number) => {
    for (const each of expiredHolds.all(now)) lower(each, 0);
  });

  return {
    ...createBudgetQueries(db),
    set: async (budget, periods, by) => set.immediate(budget, periods, by),
    remove: async (id, by) => remove.immediate(id, by),
    addPeriods: async (periods) => addPeriods.immediate(periods),
    hold: async (wish) => hold.immediate(wish),
    reduce: async (requestId, amount) => lowerAll.immediate(requestId, amount),
    end: async (requestId) => lowerAll.immediate(requestId, 0),
    renew: async (process, expiresAt) => void renewAll.run(expiresAt, process, neverExpires),
    endExpired: async (now) => endExpired.immediate(now),
  };
}

function insertRow(database: Database, table: string, row: object): void {
  const columns = Object.keys(row);
  const places = columns.map(() => "?").join(", ");
  const insert = database.query<unknown, (string | number | null)[]>(
    `insert into ${table} (${columns.join(", ")}) values (${places})`,
  );
  insert.run(...(Object.values(row) as (string | number | null)[]));
}
