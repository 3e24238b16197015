import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { LedgerRow } from "../../billing/accounts/ledger.ts";

/** A statement is started once for so many rows, which costs half of starting it for each. */
const rowsAtOnce = 32;
const columns =
  "account_id, id, kind, amount_microusd, request_id, pricing_version, created_at, note, held_microusd".split(", ");
const places = `(${columns.map(() => "?").join(", ")})`;

/** Inserts rows into the ledger, but for those that are there, and returns those that it has inserted, in their order. */
export function createEntryInserter(database: Database): (rows: readonly LedgerRow[]) => readonly LedgerRow[] {
  const prepare = (rows: number, end = "") =>
    database.prepare<unknown, SQLQueryBindings[]>(
      `insert into ledger_entries (${columns.join(", ")}) values ${Array.from({ length: rows }, () => places).join(", ")} ${end}`,
    );
  const many = prepare(rowsAtOnce);
  const one = prepare(1, "on conflict (account_id, id) do nothing");
  const isNew = (row: LedgerRow): boolean => one.run(...addValues([], row)).changes > 0;

  /** False if any of them is there: then none of them is inserted. */
  function insertTogether(rows: readonly LedgerRow[]): boolean {
    try {
      const values: SQLQueryBindings[] = [];
      for (const row of rows) addValues(values, row);
      many.run(...values);
      return true;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "SQLITE_CONSTRAINT_PRIMARYKEY") return false;
      throw error;
    }
  }

  return (rows) => {
    let inserted: LedgerRow[] | null = null;
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      const some = rows.slice(from, from + rowsAtOnce);
      if (some.length === rowsAtOnce && insertTogether(some)) {
        inserted?.push(...some);
        continue;
      }
      const fresh = some.filter(isNew);
      if (fresh.length < some.length) inserted ??= rows.slice(0, from);
      inserted?.push(...fresh);
    }
    return inserted ?? rows;
  };
}

/** Adds the values of `columns`. */
function addValues(values: SQLQueryBindings[], row: LedgerRow): SQLQueryBindings[] {
  values.push(row.accountId, row.id, row.kind, row.amountMicrousd, row.requestId, row.pricingVersion, row.createdAt);
  values.push(row.note, row.heldMicrousd);
  return values;
}
