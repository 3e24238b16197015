import { Kysely, PostgresDialect } from "kysely";
import { Pool } from "pg";
import type { StorageLocation } from "../location.ts";
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
import { commitStatements } from "./commit-statements.ts";
import { createTagPolicyStore } from "../queries/tag-policy-queries.ts";
import { createRouteStore } from "../queries/route-queries.ts";
import { createCatalogStore } from "../queries/catalog-queries.ts";
import { createSearchBackendStore } from "../queries/search-backend-queries.ts";
import type { Tables } from "../schema.ts";
import { messageOf, StorageError } from "../storage-error.ts";
import type { Storage, StorageSettings } from "../storage.ts";
import { createUsageStore } from "../usage/usage-store.ts";
import { listenForChanges } from "./change-listener.ts";
import { createPostgresTrail } from "./trail.ts";
import { connectionConfig, migrationConfig } from "./connection.ts";
import { createPostgresAuditor } from "./audit.ts";
import { createPostgresBudgetStore } from "./budget-store.ts";
import { createPostgresAccountStore } from "./account-store.ts";
import { createPostgresKeyStore } from "./key-store.ts";
import { createPostgresLeaseStore } from "./lease-store.ts";
import { createPostgresRecordStore } from "./record-store.ts";
import { createPostgresResponseStore } from "./response-store.ts";

/** Opens the Postgres database, which must exist, and brings its schema up to date. */
export async function openPostgres(
  location: Extract<StorageLocation, { kind: "postgres" }>,
  { clock, log }: StorageSettings,
): Promise<Storage> {
  await migratePostgres(location, { clock, log });
  const pool = new Pool({ ...connectionConfig(location.url), max: 10, idleTimeoutMillis: 30_000 });
  // A connection that breaks while idle is replaced by the pool.
  pool.on("error", (error) => log.warn({ error: error.message }, "a storage connection broke"));
  // One that breaks between its answer and its return to the pool would end the process, were nobody listening.
  pool.on("connect", (client) => client.on("error", () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const trail = createPostgresTrail(pool, db, clock);
  const keys = createPostgresKeyStore(db, trail.write, (handlers) =>
    listenForChanges({ config: connectionConfig(location.url), channel: "tollgate_keys", log, ...handlers }),
  );
  const commit = commitStatements(pool);
  return {
    kind: "postgres",
    keys,
    records: createPostgresRecordStore(pool, db, log),
    prices: createPriceListStore(db, clock, trail.write),
    responses: createPostgresResponseStore(pool, db),
    routes: createRouteStore(db, "postgres", trail.write),
    idempotency: createIdempotencyStore(db),
    changes: createChangeStore(db),
    accounts: createPostgresAccountStore(pool, db, trail),
    leases: createPostgresLeaseStore(pool),
    budgets: createPostgresBudgetStore(pool, db, trail),
    auditor: createPostgresAuditor(location.url),
    outbox: createOutbox(db, "postgres"),
    usage: createUsageStore(db, "postgres"),
    tagPolicies: createTagPolicyStore(db, trail.write),
    searchBackends: createSearchBackendStore(db, "postgres", trail.write),
    catalog: createCatalogStore(db, "postgres", trail.write),
    files: createFileStore(db, "postgres"),
    videoJobs: createVideoJobStore(db, "postgres", commit),
    audits: createAuditStore(db),
    bodies: createBodyStore(db, trail.write),
    console: createConsoleStore(db, { kind: "postgres", commit, clock }),
    async ping() {
      await pool.query("select 1");
    },
    async close() {
      await keys.close();
      await db.destroy();
    },
  };
}

async function migratePostgres(
  location: Extract<StorageLocation, { kind: "postgres" }>,
  { clock, log }: StorageSettings,
): Promise<void> {
  const pool = new Pool({ ...migrationConfig(location.url), max: 1 });
  pool.on("error", (error) => log.warn({ error: error.message }, "a storage connection broke"));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  try {
    await migrate(db, "postgres", migrations, clock);
  } catch (error) {
    if (error instanceof StorageError) throw error;
    throw new StorageError("unreachable", `Postgres at ${location.shown} cannot be used: ${messageOf(error)}`, error);
  } finally {
    await db.destroy();
  }
}
