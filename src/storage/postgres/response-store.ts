import type { Kysely } from "kysely";
import type { Pool } from "pg";
import type { ResponseStore } from "../../responses/response-store.ts";
import { createResponseQueries, responseColumns, responseToRow } from "../queries/response-queries.ts";
import type { Tables } from "../schema.ts";

/** Responses on Postgres. One is taken in by one statement, its items included. */
export function createPostgresResponseStore(pool: Pool, db: Kysely<Tables>): ResponseStore {
  return {
    ...createResponseQueries(db),
    async insert(response, outputIds) {
      const row = responseToRow(response);
      const values = [...responseColumns.map((column) => row[column]), JSON.stringify(outputIds)];
      await pool.query({ name: "insert_response", text: insertText, values });
    },
  };
}

const places = responseColumns.map((_, index) => `$${index + 1}`).join(", ");

const insertText = `with kept as (
    insert into responses (${responseColumns.join(", ")}) values (${places})
      on conflict (key_id, id) do nothing returning key_id, id
  )
  insert into response_items (key_id, response_id, item_id)
    select kept.key_id, kept.id, item_id
      from kept, json_array_elements_text($${responseColumns.length + 1}::json) as item_id
    on conflict do nothing`;
