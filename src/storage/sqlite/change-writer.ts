import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { Kysely } from "kysely";
import type { Clock } from "../../clock.ts";
import { changeStatement, type Statement, type WriteChange } from "../change-writer.ts";
import type { Tables } from "../schema.ts";

/** Changes on SQLite. Both statements run synchronously: no other statement comes between them. */
export function createSqliteChangeWriter(database: Database, db: Kysely<Tables>, clock: Clock): WriteChange {
  const run = ({ sql, parameters }: Statement) =>
    // Parameters are what our own queries put there: strings, numbers and nulls.
    database.query<unknown, SQLQueryBindings[]>(sql).run(...(parameters as SQLQueryBindings[]));
  const both = database.transaction((statement: Statement, entry: Statement) => {
    const isChanged = run(statement).changes > 0;
    if (isChanged) run(entry);
    return isChanged;
  });
  return async (statement, change) => both.immediate(statement, changeStatement(db, change, clock));
}
