import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { Kysely, SqliteDialect } from "kysely";
import { createAuditStore } from "../queries/audit-run-queries.ts";
import { createBodyStore } from "../queries/body-queries.ts";
import { createChangeStore } from "../queries/change-queries.ts";
import { createConsoleStore } from "../queries/console-queries.ts";
import { createFileStore } from "../queries/file-queries.ts";
import { createIdempotencyStore } from "../queries/idempotency-queries.ts";
import { migrate } from "../migrations/migrate.ts";
import { migrations } from "../migrations/migrations.ts";
import { createPriceListStore } from "../queries/price-list-queries.ts";
import { createOutbox } from "../queries/outbox-queries.ts";
import { createVideoJobStore } from "../queries/video-queries.ts";
import { createTagPolicyStore } from "../queries/tag-policy-queries.ts";
import { createRouteStore } from "../queries/route-queries.ts";
import { createCatalogStore } from "../queries/catalog-queries.ts";
import { createSearchBackendStore } from "../queries/search-backend-queries.ts";
import type { Tables } from "../schema.ts";
import { messageOf, StorageError } from "../storage-error.ts";
import type { Storage, StorageSettings } from "../storage.ts";
import { createSqliteTrail } from "./trail.ts";
import { createUsageStore } from "../usage/usage-store.ts";
import { retryWhileBusy } from "./busy.ts";
import { createSqliteAuditor } from "./audit.ts";
import { createSqliteAccountStore } from "./account-store.ts";
import { createSqliteBudgetStore } from "./budget-store.ts";
import { asKyselyDatabase } from "./kysely-database.ts";
import { startCheckpointer } from "./checkpointer.ts";
import { createSqliteKeyStore } from "./key-store.ts";
import { createSqliteLeaseStore } from "./lease-store.ts";
import { commitStatements } from "./commit-statements.ts";
import { createSqliteRecordStore } from "./record-store.ts";
import { createSqliteResponseStore } from "./response-store.ts";

/**
 * How long a write waits, blocking the event loop, for another process (the command line) that is writing. What takes
 * longer fails, and the recorder's journal takes the records.
 */
const patienceMs = 250;

/** 128 MiB of pages. */
const maxWalPages = 16_384;

/** Opens or makes the SQLite file at `path`, or a database in memory for `:memory:`. */
export async function openSqlite(path: string, { clock, log }: StorageSettings): Promise<Storage> {
  const database = await openDatabase(path);
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(database) }) });
  try {
    await migrate(db, "sqlite", migrations, clock);
    const check = database.prepare("select 1 from migrations limit 1");
    const checkpointer = path === ":memory:" ? null : startCheckpointer(path, log);
    const trail = createSqliteTrail(database, db, clock);
    const records = createSqliteRecordStore(database, { patienceMs, checkpointer, log });
    const commit = commitStatements(database, records);
    return {
      kind: "sqlite",
      keys: createSqliteKeyStore(database, db, trail.write),
      records,
      prices: createPriceListStore(db, clock, trail.write),
      responses: createSqliteResponseStore(database, db),
      routes: createRouteStore(db, "sqlite", trail.write),
      idempotency: createIdempotencyStore(db),
      changes: createChangeStore(db),
      accounts: createSqliteAccountStore(database, db, trail),
      leases: createSqliteLeaseStore(database),
      budgets: createSqliteBudgetStore(database, db, trail),
      auditor: createSqliteAuditor(path),
      outbox: createOutbox(db, "sqlite"),
      usage: createUsageStore(db, "sqlite"),
      tagPolicies: createTagPolicyStore(db, trail.write),
      searchBackends: createSearchBackendStore(db, "sqlite", trail.write),
      catalog: createCatalogStore(db, "sqlite", trail.write),
      files: createFileStore(db, "sqlite"),
      videoJobs: createVideoJobStore(db, "sqlite", commit),
      audits: createAuditStore(db),
      bodies: createBodyStore(db, trail.write),
      console: createConsoleStore(db, { kind: "sqlite", commit, clock }),
      ping: async () => void check.get(),
      async close() {
        checkpointer?.stop();
        await db.destroy();
        database.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

async function openDatabase(path: string): Promise<Database> {
  try {
    // Of two processes that turn a new file to WAL at once, SQLite refuses one without waiting.
    return await retryWhileBusy(() => openOnce(path));
  } catch (error) {
    throw new StorageError("unreachable", `The SQLite file "${path}" cannot be opened: ${messageOf(error)}`, error);
  }
}

function openOnce(path: string): Database {
  if (path !== ":memory:") mkdirSync(dirname(path), { recursive: true });
  const database = new Database(path, { readwrite: true, create: true });
  try {
    database.run(`PRAGMA busy_timeout = ${patienceMs}`);
    // A record's row is a twelfth of a page; fewer, larger pages make a batch of them cheaper to write.
    database.run("PRAGMA page_size = 8192");
    database.run("PRAGMA journal_mode = WAL");
    // Survives the death of the process at any instant; the loss of power may cost the last moments.
    database.run("PRAGMA synchronous = NORMAL");
    // The checkpointer does this away from the event loop; here only if that should fail.
    database.run(`PRAGMA wal_autocheckpoint = ${maxWalPages}`);
    // After a burst the write-ahead log shrinks back to this many bytes.
    database.run("PRAGMA journal_size_limit = 67108864");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
