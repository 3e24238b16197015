import type { Database } from "bun:sqlite";
import type { LedgerRow } from "../../billing/accounts/ledger.ts";
import { countCharge } from "../queries/budget-sql.ts";

const oneRow = "(select ?1 as request_id, ?2 as kind, ?3 as amount_microusd) as added";

/**
 * Counts new rows of the ledger for budgets, and ends what their requests hold of them. Once a transaction, whereas a
 * trigger would look for budgets at every row, which costs more than the row.
 */
export function createChargeCounter(database: Database): (rows: readonly LedgerRow[]) => void {
  const anyBudget = database.prepare<{ id: string }, []>("select id from budgets limit 1");
  const count = database.prepare<unknown, [string | null, string, number]>(countCharge("sqlite", oneRow));
  const endHolds = database.prepare<unknown, [string | null]>(
    `update budget_counters set held_microusd = held_microusd - ended.amount_microusd from budget_holds as ended
      where ended.request_id = ?1 and ended.budget_id = budget_counters.budget_id
        and ended.starts_at = budget_counters.starts_at and ended.subject = budget_counters.subject`,
  );
  const removeHolds = database.prepare<unknown, [string | null]>("delete from budget_holds where request_id = ?1");

  return (rows) => {
    if (rows.length === 0 || anyBudget.get() === null) return;
    for (const { requestId, kind, amountMicrousd } of rows) {
      if (kind !== "charge" && kind !== "release") continue;
      count.run(requestId, kind, amountMicrousd);
      endHolds.run(requestId);
      removeHolds.run(requestId);
    }
  };
}
