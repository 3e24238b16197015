import type { Kysely } from "kysely";
import type { Pool, PoolClient } from "pg";
import type { NewChange } from "../../changes/change.ts";
import type { Clock } from "../../clock.ts";
import { changeStatement, type WriteChange } from "../queries/change-queries.ts";
import type { Tables } from "../schema.ts";
import { inTransaction } from "./transaction.ts";

/** The audit trail on Postgres. */
export interface PostgresTrail {
  readonly write: WriteChange;
  /** Adds a change within the transaction of the client. */
  add(client: PoolClient, change: NewChange): Promise<void>;
}

export function createPostgresTrail(pool: Pool, db: Kysely<Tables>, clock: Clock): PostgresTrail {
  async function add(client: PoolClient, change: NewChange): Promise<void> {
    const { sql, parameters } = changeStatement(db, change, clock);
    await client.query(sql, [...parameters]);
  }
  return {
    write: (statement, changes) =>
      inTransaction(pool, async (client) => {
        const { rowCount } = await client.query(statement.sql, [...statement.parameters]);
        if (rowCount === 0) return false;
        for (const change of [changes].flat()) await add(client, change);
        return true;
      }),
    add,
  };
}
