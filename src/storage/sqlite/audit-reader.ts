import { Database } from "bun:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AuditReader } from "../audit/audit-reader.ts";
import type { AuditQuery } from "../queries/read-each.ts";

/** Rows looked at in one turn of the event loop. */
const rowsPerTurn = 1_000;

export function openSqliteAuditReader(path: string): AuditReader {
  const database = new Database(path, { readonly: true });
  return {
    async readEach<Row extends object>(query: AuditQuery<Row>, look: (row: Row) => void) {
      let count = 0;
      for (const row of database.query<Row, []>(query).iterate()) {
        look(row);
        if ((count += 1) % rowsPerTurn === 0) await nextTurn();
      }
      return count;
    },
    async begin() {
      database.run("begin");
      // The moment is that of the first statement that reads.
      database.query("select 1 from migrations").get();
      return null;
    },
    async close() {
      database.close();
    },
  };
}
