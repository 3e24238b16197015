import { Client, type ClientConfig } from "pg";
import type { Auditor } from "../../billing/audit.ts";
import { auditBook } from "../queries/audit-queries.ts";
import type { ReadEach } from "../queries/read-each.ts";
import { copyRows } from "./copy-rows.ts";

/** Audits a Postgres database on a connection of its own, in one transaction that sees one moment while others write. */
export function createPostgresAuditor(config: ClientConfig): Auditor {
  return {
    async audit(onFinding) {
      const client = new Client(config);
      await client.connect();
      const readEach: ReadEach = (query, look) => copyRows(client, query, look);
      try {
        await client.query("begin isolation level repeatable read read only");
        return await auditBook("postgres", readEach, onFinding);
      } finally {
        await client.end();
      }
    },
  };
}
