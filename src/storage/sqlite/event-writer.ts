import type { Database } from "bun:sqlite";
import type { NewEvent } from "../../webhooks/outbox.ts";

/** Writes events to the outbox within the transaction at hand. One whose id is there stays as it is. */
export function createEventWriter(database: Database): (event: NewEvent) => void {
  const insert = database.prepare<unknown, [string, string, string, string, number, number]>(
    `insert into outbox (id, kind, account_id, payload, created_at, next_attempt_at) values (?, ?, ?, ?, ?, ?)
      on conflict (id) do nothing`,
  );
  return ({ id, kind, accountId, payload, createdAt }) => {
    insert.run(id, kind, accountId, payload, createdAt, createdAt);
  };
}
