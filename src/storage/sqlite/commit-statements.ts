import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { Statement } from "../queries/change-queries.ts";
import type { CommitStatements } from "../queries/video-queries.ts";
import type { SqliteRecordStore } from "./record-store.ts";

/** Statements in one transaction with records, on SQLite. */
export function commitStatements(database: Database, records: Pick<SqliteRecordStore, "insertWith">): CommitStatements {
  const run = ({ sql, parameters }: Statement) =>
    // Parameters are what our own queries put there: strings, numbers and nulls.
    database.query<unknown, SQLQueryBindings[]>(sql).run(...(parameters as SQLQueryBindings[])).changes;
  return async (first, others, committed) =>
    records.insertWith(committed, () => {
      if (run(first) === 0) return false;
      others.forEach(run);
      return true;
    });
}
