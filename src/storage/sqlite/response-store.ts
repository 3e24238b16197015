import type { Database, SQLQueryBindings } from "bun:sqlite";
import type { Kysely } from "kysely";
import type { ResponseStore } from "../../responses/response-store.ts";
import { createResponseQueries, responseColumns, responseToRow } from "../queries/response-queries.ts";
import type { ResponseRow, Tables } from "../schema.ts";

/** Responses on SQLite. Taking one in is synchronous: no other statement comes between its own. */
export function createSqliteResponseStore(database: Database, db: Kysely<Tables>): ResponseStore {
  const places = responseColumns.map(() => "?").join(", ");
  const insertResponse = database.prepare<unknown, SQLQueryBindings[]>(
    `insert into responses (${responseColumns.join(", ")}) values (${places})
      on conflict (key_id, id) do nothing`,
  );
  const insertItem = database.prepare<unknown, [string, string, string]>(
    "insert or ignore into response_items (key_id, response_id, item_id) values (?, ?, ?)",
  );
  const insertBoth = database.transaction((row: ResponseRow, outputIds: readonly string[]) => {
    const { changes } = insertResponse.run(...responseColumns.map((column) => row[column]));
    if (changes === 0) return;
    for (const itemId of outputIds) insertItem.run(row.key_id, row.id, itemId);
  });

  return {
    ...createResponseQueries(db),
    insert: (response, outputIds) => insertBoth.immediate(responseToRow(response), outputIds),
  };
}
