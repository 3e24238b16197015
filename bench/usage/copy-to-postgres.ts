import { Database } from "bun:sqlite";
import { Client } from "pg";
import { openStorage } from "../../src/storage/open-storage.ts";

/** What records leave behind, beside what migrations make. */
const tables = "accounts keys requests ledger_entries usage_rollups usage_times usage_facet_rollups usage_facets".split(
  " ",
);

/**
 * Copies what an SQLite file has into an empty Postgres database, row by row and in the order of their keys, as records
 * would have come. Needs the programs `sqlite3` and `psql`.
 */
export async function copyToPostgres(path: string, url: string): Promise<void> {
  await (await openStorage(url)).close();
  const client = new Client({ connectionString: url });
  await client.connect();
  // Checkpoints as often as usual would take longer than the copy.
  await client.query("alter system set max_wal_size = '3GB'");
  await client.query("select pg_reload_conf()");
  await client.query("delete from accounts");
  for (const table of tables) {
    const before = performance.now();
    await copyTable(path, url, table);
    console.log(`  ${table} copied in ${((performance.now() - before) / 1000).toFixed(0)} s`);
  }
  // As a Postgres does by itself within minutes: without it plans are made for empty tables.
  await client.query("vacuum analyze");
  await client.end();
}

async function copyTable(path: string, url: string, table: string): Promise<void> {
  const database = new Database(path, { readonly: true });
  const columns = database
    .query<{ name: string }, [string]>("select name from pragma_table_info(?) where name <> 'sequence'")
    .all(table)
    .map(({ name }) => name)
    .join(", ");
  database.close();
  // Triggers are for those who write by themselves: what they would count was counted already.
  const copy = `set session_replication_role = replica; copy ${table} (${columns}) from stdin csv`;
  const pipe = 'set -o pipefail; sqlite3 -readonly -csv "$1" "$2" | psql -q -v ON_ERROR_STOP=1 "$3" -c "$4"';
  const child = Bun.spawn(["bash", "-c", pipe, "copy", path, `select ${columns} from ${table}`, url, copy], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if ((await child.exited) !== 0) throw new Error(`${table} could not be copied`);
}
