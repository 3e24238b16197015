import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { Kysely } from "kysely";
import type { NewChange } from "../../changes/change.ts";
import type { Clock } from "../../clock.ts";
import { changeStatement, type Statement, type WriteChange } from "../queries/change-queries.ts";
import type { Tables } from "../schema.ts";

/** The audit trail on SQLite. */
export interface SqliteTrail {
  /** All statements run synchronously: no other one comes between them. */
  readonly write: WriteChange;
  /** Adds a change within the transaction at hand. */
  add(change: NewChange): void;
}

export function createSqliteTrail(database: Database, db: Kysely<Tables>, clock: Clock): SqliteTrail {
  const run = ({ sql, parameters }: Statement) =>
    // Parameters are what our own queries put there: strings, numbers and nulls.
    database.query<unknown, SQLQueryBindings[]>(sql).run(...(parameters as SQLQueryBindings[]));
  const add = (change: NewChange) => void run(changeStatement(db, change, clock));
  const all = database.transaction((statement: Statement, changes: readonly NewChange[]) => {
    const isChanged = run(statement).changes > 0;
    if (isChanged) changes.forEach(add);
    return isChanged;
  });
  return { write: async (statement, changes) => all.immediate(statement, [changes].flat()), add };
}
