import { Client } from "pg";
import type { AuditReader } from "../audit/audit-reader.ts";
import { migrationConfig } from "./connection.ts";
import { copyRows } from "./copy-rows.ts";

export async function openPostgresAuditReader(url: string): Promise<AuditReader> {
  const client = new Client(migrationConfig(url));
  await client.connect();
  return {
    readEach: (query, look) => copyRows(client, query, look),
    async begin(snapshot) {
      await client.query("begin isolation level repeatable read read only");
      // Enough to join a part of the records with its entries in memory.
      await client.query("set local work_mem = '32MB'");
      if (snapshot !== null) {
        await client.query(`set transaction snapshot '${snapshot}'`);
        return snapshot;
      }
      const { rows } = await client.query<{ name: string }>("select pg_export_snapshot() as name");
      return rows[0]?.name ?? null;
    },
    close: () => client.end(),
  };
}
