import type { Kysely } from "kysely";
import type { Pool } from "pg";
import type { Clock } from "../../clock.ts";
import { changeStatement, type WriteChange } from "../change-writer.ts";
import type { Tables } from "../schema.ts";
import { inTransaction } from "./transaction.ts";

/** Changes on Postgres. */
export function createPostgresChangeWriter(pool: Pool, db: Kysely<Tables>, clock: Clock): WriteChange {
  return (statement, change) =>
    inTransaction(pool, async (client) => {
      const { rowCount } = await client.query(statement.sql, [...statement.parameters]);
      if (rowCount === 0) return false;
      const entry = changeStatement(db, change, clock);
      await client.query(entry.sql, [...entry.parameters]);
      return true;
    });
}
