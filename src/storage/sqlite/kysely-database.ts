import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { SqliteDatabase } from "kysely";

/** Bun's SQLite in the shape that Kysely's dialect expects (better-sqlite3's). Closing is the owner's. */
export function asKyselyDatabase(database: Database): SqliteDatabase {
  return {
    close() {},
    prepare(text) {
      const statement = database.query(text);
      return {
        reader: statement.columnNames.length > 0,
        all: (parameters) => statement.all(...bindings(parameters)),
        run: (parameters) => statement.run(...bindings(parameters)),
        iterate: (parameters) => statement.iterate(...bindings(parameters)),
      };
    },
  };
}

/** Kysely's parameters are what our own queries put there: strings, numbers and nulls. */
function bindings(parameters: readonly unknown[]): SQLQueryBindings[] {
  return parameters as SQLQueryBindings[];
}
