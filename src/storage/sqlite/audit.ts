import type { Database } from "bun:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Auditor } from "../../billing/audit.ts";
import { auditBook } from "../queries/audit-queries.ts";
import type { AuditQuery, ReadEach } from "../queries/read-each.ts";

/** Rows looked at in one turn of the event loop. */
const rowsPerTurn = 1_000;

/**
 * Audits an SQLite file on a connection of its own, in one transaction that reads: it sees one moment, and others go on
 * writing. @param open gives that connection, which is closed afterwards
 */
export function createSqliteAuditor(open: () => Database): Auditor {
  return {
    async audit(onFinding) {
      const database = open();
      const readEach: ReadEach = async <Row extends object>(query: AuditQuery<Row>, look: (row: Row) => void) => {
        let count = 0;
        for (const row of database.query<Row, []>(query).iterate()) {
          look(row);
          if ((count += 1) % rowsPerTurn === 0) await nextTurn();
        }
        return count;
      };
      try {
        database.run("begin");
        return await auditBook("sqlite", readEach, onFinding);
      } finally {
        database.close();
      }
    },
  };
}
