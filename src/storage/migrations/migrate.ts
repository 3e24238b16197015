import { type Kysely, sql } from "kysely";
import type { Clock } from "../../clock.ts";
import type { Migration, StorageKind } from "./migrations.ts";
import type { Tables } from "../schema.ts";
import { retryWhileBusy } from "../sqlite/busy.ts";
import { messageOf, StorageError } from "../storage-error.ts";

/** Any number that nothing else on the same Postgres uses: "tollgate" on a telephone's keys. */
const advisoryLock = 86554283;

/**
 * Brings the schema up to the newest migration: all that are missing, in one transaction under a lock, so that a process
 * killed in the middle leaves nothing half done and two that start at once do it once. `db` must have one connection.
 * Throws a `StorageError`: `newer_schema` if the storage was made by a newer program.
 */
export async function migrate(
  db: Kysely<Tables>,
  kind: StorageKind,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<void> {
  // Without the lock first: a storage that is up to date starts without waiting for anyone.
  if ((await schemaVersion(db, kind)) === migrations.length) return;
  await db.connection().execute(async (connection) => {
    await begin(connection, kind);
    try {
      await applyMissing(connection, kind, migrations, clock);
      await sql`commit`.execute(connection);
    } catch (error) {
      await sql`rollback`.execute(connection).catch(() => undefined);
      if (error instanceof StorageError) throw error;
      throw new StorageError("migration_failed", `The storage could not be prepared: ${messageOf(error)}`, error);
    }
  });
}

async function begin(connection: Kysely<Tables>, kind: StorageKind): Promise<void> {
  if (kind === "sqlite") {
    // Waits between tries rather than inside SQLite, which would block the event loop that the other may need.
    await retryWhileBusy(() => sql`begin immediate`.execute(connection));
    return;
  }
  await sql`begin`.execute(connection);
  await sql`set local lock_timeout = '60s'`.execute(connection);
  await sql`select pg_advisory_xact_lock(${sql.lit(advisoryLock)})`.execute(connection);
}

async function applyMissing(
  db: Kysely<Tables>,
  kind: StorageKind,
  migrations: readonly Migration[],
  clock: Clock,
): Promise<void> {
  const current = await schemaVersion(db, kind);
  if (current > migrations.length) {
    throw new StorageError(
      "newer_schema",
      `The storage was made by a newer version of Tollgate (its schema is ${current}, this program knows up to ` +
        `${migrations.length}). Start the newer version, or give this one a storage of its own.`,
    );
  }
  if (current === 0) {
    await db.schema
      .createTable("migrations")
      .addColumn("version", "integer", (column) => column.primaryKey())
      .addColumn("applied_at", "bigint", (column) => column.notNull())
      .execute();
  }
  for (const [index, migration] of migrations.entries()) {
    if (index < current) continue;
    await migration.up(db, kind);
    await db
      .insertInto("migrations")
      .values({ version: index + 1, applied_at: clock.now() })
      .execute();
  }
}

/** How many migrations the storage has seen. 0 for an empty one. */
async function schemaVersion(db: Kysely<Tables>, kind: StorageKind): Promise<number> {
  const exists =
    kind === "sqlite"
      ? sql<{ found: number }>`select count(*) as found from sqlite_master where type = 'table' and name = 'migrations'`
      : // Not to_regclass: it may answer from what its session knew before it waited for the lock.
        sql<{ found: number }>`select count(*)::int as found from pg_catalog.pg_tables
          where schemaname = current_schema() and tablename = 'migrations'`;
  const { rows } = await exists.execute(db);
  if (rows[0]?.found !== 1) return 0;
  const newest = await db
    .selectFrom("migrations")
    .select((builder) => builder.fn.max("version").as("version"))
    .executeTakeFirst();
  return newest?.version ?? 0;
}
