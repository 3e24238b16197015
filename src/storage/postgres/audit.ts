import { Client, type ClientConfig } from "pg";
import type { Auditor } from "../../billing/audit.ts";
import { auditBook } from "../queries/audit-queries.ts";
import type { AuditQuery, ReadEach } from "../queries/read-each.ts";

const rowsAtOnce = 1_000;

/** Audits a Postgres database on a connection of its own, in one transaction that sees one moment while others write. */
export function createPostgresAuditor(config: ClientConfig): Auditor {
  return {
    async audit(onFinding) {
      const client = new Client(config);
      await client.connect();
      const readEach: ReadEach = async <Row extends object>(query: AuditQuery<Row>, look: (row: Row) => void) => {
        let count = 0;
        await client.query(`declare looked_at no scroll cursor for ${query}`);
        const fetch = () => client.query<Row>(`fetch ${rowsAtOnce} from looked_at`);
        for (let next = fetch(); ;) {
          const { rows } = await next;
          const isLast = rows.length < rowsAtOnce;
          // The server reads on while these are looked at.
          if (!isLast) next = fetch();
          rows.forEach(look);
          count += rows.length;
          if (isLast) break;
        }
        await client.query("close looked_at");
        return count;
      };
      try {
        await client.query("begin isolation level repeatable read read only");
        return await auditBook("postgres", readEach, onFinding);
      } finally {
        await client.end();
      }
    },
  };
}
