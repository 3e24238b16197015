import { type Kysely, type RawBuilder, sql } from "kysely";
import type { ResponseStore, StoredResponse } from "../../responses/response-store.ts";
import type { ResponseRow, Tables } from "../schema.ts";

/** The queries of a response store that are the same on every database. */
export function createResponseQueries(db: Kysely<Tables>): Omit<ResponseStore, "insert"> {
  return {
    async find(keyId, id, aliveSince) {
      const { rows } = await sql<ResponseRow>`select ${columns} from responses
        where key_id = ${keyId} and id = ${id} and ${isAlive(aliveSince)}`.execute(db);
      return rows[0] === undefined ? null : rowToResponse(rows[0]);
    },
    async findConversation(keyId, id, aliveSince, maxSize) {
      const { rows } = await conversationQuery(keyId, id, aliveSince, maxSize).execute(db);
      return rows.map(rowToResponse);
    },
    async findByOutput(keyId, itemIds, aliveSince) {
      if (itemIds.length === 0) return [];
      const { rows } = await sql<ResponseRow>`select ${columns} from responses
        where key_id = ${keyId} and ${isAlive(aliveSince)} and id in (
          select response_id from response_items where key_id = ${keyId} and item_id in (${sql.join(itemIds)})
        )
        order by created_at`.execute(db);
      return rows.map(rowToResponse);
    },
    async delete(keyId, id, aliveSince) {
      const { rows } = await sql`delete from responses
        where key_id = ${keyId} and id = ${id} and ${isAlive(aliveSince)} returning id`.execute(db);
      return rows.length > 0;
    },
    async deleteExpired(aliveSince, maxRows) {
      const { rows } = await sql`delete from responses where (key_id, id) in (
          select key_id, id from responses where created_at < ${aliveSince} and not ${isAlive(aliveSince)}
          order by created_at limit ${maxRows}
        ) returning id`.execute(db);
      return rows.length;
    },
  };
}

/** A response and what it continues, oldest first. */
export function conversationQuery(
  keyId: string,
  id: string,
  aliveSince: number,
  maxSize: number,
): RawBuilder<ResponseRow> {
  // Only ids are gathered step by step. Sizes grow along a conversation, so that no circle can be walked for ever.
  // The cross join keeps SQLite from walking all the key's responses to find these.
  return sql<ResponseRow>`
    with recursive chain (chain_id, chain_previous_id, size, distance) as (
      select id, previous_id, conversation_size, 0 from responses
        where key_id = ${keyId} and id = ${id} and ${isAlive(aliveSince)}
      union all
      select older.id, older.previous_id, older.conversation_size, distance + 1 from chain
        join responses older on older.key_id = ${keyId} and older.id = chain_previous_id
          and older.conversation_size < size
        where size <= ${maxSize}
    )
    select ${columns} from chain cross join responses where key_id = ${keyId} and id = chain_id
    order by distance desc`;
}

/** Every column of `responses`, in the order in which statements name them. */
export const responseColumns = [
  "id",
  "key_id",
  "previous_id",
  "root_id",
  "created_at",
  "provider",
  "conversation_size",
  "input",
  "response",
] as const satisfies readonly (keyof ResponseRow)[];

const columns = sql.join(responseColumns.map((column) => sql.ref(`responses.${column}`)));

/** Whether something was added to the conversation of a row of `responses` since then. */
function isAlive(aliveSince: number): RawBuilder<boolean> {
  return sql`exists (select 1 from responses other where other.key_id = responses.key_id
    and other.root_id = responses.root_id and other.created_at >= ${aliveSince})`;
}

export function responseToRow(response: StoredResponse): ResponseRow {
  return {
    id: response.id,
    key_id: response.keyId,
    previous_id: response.previousId,
    root_id: response.rootId,
    created_at: response.createdAt,
    provider: response.provider,
    conversation_size: response.conversationSize,
    input: response.input,
    response: response.response,
  };
}

function rowToResponse(row: ResponseRow): StoredResponse {
  return {
    id: row.id,
    keyId: row.key_id,
    previousId: row.previous_id,
    rootId: row.root_id,
    createdAt: row.created_at,
    provider: row.provider,
    conversationSize: row.conversation_size,
    input: row.input,
    response: row.response,
  };
}
