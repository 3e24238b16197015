import type { Pool } from "pg";
import type { CommitStatements } from "../queries/video-queries.ts";
import { insertRecords } from "./record-store.ts";
import { inTransaction } from "./transaction.ts";

/** Statements in one transaction with records, on Postgres. */
export function commitStatements(pool: Pool): CommitStatements {
  return (first, others, records) =>
    inTransaction(pool, async (client) => {
      const { rowCount } = await client.query(first.sql, [...first.parameters]);
      if (rowCount === 0) return false;
      for (const { sql, parameters } of others) await client.query(sql, [...parameters]);
      if (records.length > 0) await insertRecords(client, records);
      return true;
    });
}
