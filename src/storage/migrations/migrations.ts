import { type Kysely, sql } from "kysely";
import { createBudgets } from "./budgets.ts";
import { createAudits } from "./audits.ts";
import { createBodyLog } from "./body-log.ts";
import { createFileTables, indexFileSizes } from "./files.ts";
import { createChanges, indexKeyIssues } from "./changes.ts";
import { createCatalogEntries } from "./catalog-entries.ts";
import { createConsoleTables } from "./console.ts";
import { createPriceChanges } from "./price-changes.ts";
import type { Tables } from "../schema.ts";
import { createRollups } from "./rollups.ts";
import { createSearchBackends } from "./search-backends.ts";
import { addUsageFigures } from "./usage-figures.ts";
import { addVideoJobLeases, createVideoJobs } from "./videos.ts";

export type StorageKind = "sqlite" | "postgres";

/** One step of the schema. Its version is its place in the list, from 1. Once released it is never changed. */
export interface Migration {
  readonly name: string;
  up(db: Kysely<Tables>, kind: StorageKind): Promise<void>;
}

export const migrations: readonly Migration[] = [
  { name: "keys, price lists and requests", up: createFirstTables },
  { name: "stored responses", up: createResponses },
  { name: "idempotency keys", up: createIdempotencyKeys },
  { name: "routes", up: createRoutes },
  { name: "price changes", up: createPriceChanges },
  { name: "accounts, ledger and leases", up: createAccounts },
  { name: "attribution", up: addAttribution },
  { name: "changes by operators", up: createChanges },
  { name: "outbox", up: createOutbox },
  { name: "usage rollups", up: createRollups },
  { name: "tag policies", up: createTagPolicies },
  { name: "budgets", up: createBudgets },
  { name: "domains of keys", up: addKeyDomains },
  { name: "search backends", up: createSearchBackends },
  { name: "files and blobs", up: createFileTables },
  { name: "video jobs", up: createVideoJobs },
  { name: "sizes of files", up: indexFileSizes },
  { name: "leases of video jobs", up: addVideoJobLeases },
  { name: "users of the console", up: createConsoleTables },
  { name: "IP ranges of keys", up: addKeyIpRanges },
  { name: "audits", up: createAudits },
  { name: "figures of usage", up: addUsageFigures },
  { name: "bodies of requests", up: createBodyLog },
  { name: "providers and models", up: createCatalogEntries },
  { name: "issues of keys by who made them", up: indexKeyIssues },
];

async function createFirstTables(db: Kysely<Tables>, kind: StorageKind): Promise<void> {
  await createKeys(db, kind);
  await db.schema
    .createTable("price_lists")
    .addColumn("version", "integer", (column) => column.primaryKey())
    .addColumn("body", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .execute();
  await createRequests(db, kind);
}

async function createKeys(db: Kysely<Tables>, kind: StorageKind): Promise<void> {
  await db.schema
    .createTable("keys")
    .addColumn("id", "text", (column) => column.primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("secret_hash", "text", (column) => column.notNull())
    .addColumn("previous_secret_hash", "text")
    .addColumn("previous_expires_at", "bigint")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("disabled_at", "bigint")
    .addColumn("scope_models", "text")
    .addColumn("scope_endpoints", "text")
    .addColumn("requests_per_minute", "bigint")
    .addColumn("tokens_per_minute", "bigint")
    .addColumn("concurrent_requests", "bigint")
    .addColumn("admin", "integer", (column) => column.notNull())
    .execute();
  if (kind !== "postgres") return;
  // A trigger, so that a change made by hand in psql reaches the gateways' caches too.
  await sql`create function tollgate_key_changed() returns trigger language plpgsql as $body$
    begin
      perform pg_notify('tollgate_keys', coalesce(new.id, old.id));
      return null;
    end $body$`.execute(db);
  await sql`create trigger keys_changed after insert or update or delete on keys
    for each row execute function tollgate_key_changed()`.execute(db);
}

async function createRequests(db: Kysely<Tables>, kind: StorageKind): Promise<void> {
  // Ids sort by time byte by byte, whatever the database's language.
  const idType = kind === "postgres" ? sql`text collate "C"` : sql`text`;
  let table = db.schema.createTable("requests");
  // SQLite's row number, by name: `request_responses` refers to it.
  if (kind === "sqlite") table = table.addColumn("sequence", "integer", (column) => column.primaryKey());
  await table
    .addColumn("id", idType, (column) => (kind === "sqlite" ? column.notNull().unique() : column.primaryKey()))
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("response_id", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("model", "text", (column) => column.notNull())
    .addColumn("endpoint", "text", (column) => column.notNull())
    .addColumn("status", "text", (column) => column.notNull())
    .addColumn("amount_microusd", "bigint", (column) => column.notNull())
    .addColumn("input_tokens", "bigint", (column) => column.notNull())
    .addColumn("output_tokens", "bigint", (column) => column.notNull())
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
  if (kind === "sqlite") await createSqliteResponseIndex(db);
  else {
    await sql`create index requests_by_response on requests (key_id, response_id, id)
      where response_id is not null`.execute(db);
  }
  await db.schema
    .createTable("write_probe")
    .addColumn("id", "integer", (column) => column.primaryKey())
    .addColumn("body", "text", (column) => column.notNull())
    .execute();
}

/**
 * Response ids are random, and a plain index of them dirties one far-off page for every record. So this one, in which a
 * row's code is its stretch of 4,096 requests followed by 32 bits of hash: writing touches only the last stretch, which
 * stays in memory, and looking up asks stretch after stretch, newest first.
 */
async function createSqliteResponseIndex(db: Kysely<Tables>): Promise<void> {
  await sql`create table request_responses (
      code integer not null, sequence integer not null, primary key (code, sequence)
    ) without rowid`.execute(db);
}

async function createResponses(db: Kysely<Tables>, kind: StorageKind): Promise<void> {
  await db.schema
    .createTable("responses")
    .addColumn("id", "text", (column) => column.notNull())
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("previous_id", "text")
    .addColumn("root_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("conversation_size", "bigint", (column) => column.notNull())
    .addColumn("input", "text", (column) => column.notNull())
    .addColumn("response", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("responses_key", ["key_id", "id"])
    .execute();
  await sql`create index responses_by_conversation on responses (key_id, root_id, created_at)`.execute(db);
  await sql`create index responses_by_age on responses (created_at)`.execute(db);

  let items = db.schema
    .createTable("response_items")
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("response_id", "text", (column) => column.notNull())
    .addColumn("item_id", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("response_items_key", ["key_id", "response_id", "item_id"]);
  if (kind === "sqlite") items = items.modifyEnd(sql`without rowid`);
  await items.execute();
  await sql`create index response_items_by_item on response_items (key_id, item_id)`.execute(db);
  // An item's place goes with its response. SQLite heeds foreign keys only where each connection asks for it.
  if (kind === "sqlite") {
    await sql`create trigger responses_deleted after delete on responses begin
      delete from response_items where key_id = old.key_id and response_id = old.id;
    end`.execute(db);
  } else {
    await sql`alter table response_items add foreign key (key_id, response_id)
      references responses (key_id, id) on delete cascade`.execute(db);
  }
}

async function createIdempotencyKeys(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("idempotency_keys")
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("idempotency_key", "text", (column) => column.notNull())
    .addColumn("body_hash", "text", (column) => column.notNull())
    .addColumn("request_id", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("lease_until", "bigint", (column) => column.notNull())
    .addColumn("status_code", "integer")
    .addColumn("content_type", "text")
    .addColumn("body", "text")
    .addPrimaryKeyConstraint("idempotency_keys_key", ["key_id", "idempotency_key"])
    .execute();
  await sql`create index idempotency_keys_by_age on idempotency_keys (created_at)`.execute(db);
}

async function createRoutes(db: Kysely<Tables>, kind: StorageKind): Promise<void> {
  // Ids sort byte by byte, whatever the database's language.
  const idType = kind === "postgres" ? sql`text collate "C"` : sql`text`;
  await db.schema
    .createTable("routes")
    .addColumn("id", idType, (column) => column.notNull().primaryKey())
    .addColumn("definition", "text", (column) => column.notNull())
    .addColumn("updated_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("route_changes")
    .addColumn("changes", "bigint", (column) => column.notNull())
    .execute();
  await db.insertInto("route_changes").values({ changes: 0 }).execute();
  // Triggers, so that a change made by hand reaches the gateways too.
  if (kind === "sqlite") {
    for (const change of ["insert", "update", "delete"]) {
      await sql`create trigger ${sql.raw(`routes_${change}`)} after ${sql.raw(change)} on routes begin
        update route_changes set changes = changes + 1;
      end`.execute(db);
    }
    return;
  }
  await sql`create function tollgate_route_changed() returns trigger language plpgsql as $body$
    begin
      update route_changes set changes = changes + 1;
      return null;
    end $body$`.execute(db);
  await sql`create trigger routes_changed after insert or update or delete on routes
    for each row execute function tollgate_route_changed()`.execute(db);
}

async function createAccounts(db: Kysely<Tables>, kind: StorageKind): Promise<void> {
  // Ids sort by time byte by byte, whatever the database's language.
  const idType = kind === "postgres" ? sql`text collate "C"` : sql`text`;
  await db.schema
    .createTable("accounts")
    .addColumn("id", idType, (column) => column.notNull().primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("mode", "text", (column) => column.notNull())
    .addColumn("markup_basis_points", "integer", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("balance_microusd", "bigint", (column) => column.notNull())
    .addColumn("held_microusd", "bigint", (column) => column.notNull())
    .addColumn("leased_microusd", "bigint", (column) => column.notNull())
    .addColumn("recalled_until", "bigint", (column) => column.notNull())
    .execute();
  let entries = db.schema
    .createTable("ledger_entries")
    .addColumn("account_id", idType, (column) => column.notNull())
    .addColumn("id", idType, (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("amount_microusd", "bigint", (column) => column.notNull())
    .addColumn("request_id", "text")
    .addColumn("pricing_version", "integer")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("idempotency_key", "text")
    .addColumn("note", "text")
    .addColumn("held_microusd", "bigint", (column) => column.notNull().defaultTo(0))
    .addPrimaryKeyConstraint("ledger_entries_key", ["account_id", "id"]);
  if (kind === "sqlite") entries = entries.modifyEnd(sql`without rowid`);
  await entries.execute();
  // Entries of requests have none, so they cost this index nothing.
  await sql`create unique index ledger_entries_once on ledger_entries (account_id, idempotency_key)
    where idempotency_key is not null`.execute(db);
  await db.schema
    .createTable("leases")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("account_id", idType, (column) => column.notNull())
    .addColumn("amount_microusd", "bigint", (column) => column.notNull())
    .addColumn("held_microusd", "bigint", (column) => column.notNull())
    .addColumn("reported_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .execute();
  await sql`create index leases_by_account on leases (account_id)`.execute(db);
  for (const table of ["keys", "requests"]) {
    await sql`alter table ${sql.table(table)} add column account_id text not null default 'default'`.execute(db);
  }
  await sql`alter table requests add column held_microusd bigint not null default 0`.execute(db);
  await bookOldCharges(db, kind);
  await makeEntriesPermanent(db, kind);
}

/** What was charged before there were accounts was charged to the default one, which is unlimited. */
async function bookOldCharges(db: Kysely<Tables>, kind: StorageKind): Promise<void> {
  const pricingVersion =
    kind === "sqlite" ? sql`cast(json_extract(body, '$[7]') as integer)` : sql`(body::json->>7)::integer`;
  await sql`insert into ledger_entries (account_id, id, kind, amount_microusd, request_id, pricing_version, created_at)
    select 'default', 'ent_' || substr(id, 5) || '_2', 'charge', -amount_microusd, id, ${pricingVersion}, created_at
    from requests where amount_microusd <> 0 and status <> 'pending'`.execute(db);
  await sql`insert into accounts (id, name, mode, markup_basis_points, created_at, balance_microusd, held_microusd,
      leased_microusd, recalled_until)
    select 'default', 'default', 'unlimited', 0, 0, coalesce(sum(amount_microusd), 0), 0, 0, 0
    from ledger_entries`.execute(db);
}

/** The ledger is appended to, whoever writes. */
async function makeEntriesPermanent(db: Kysely<Tables>, kind: StorageKind): Promise<void> {
  if (kind === "sqlite") {
    for (const change of ["update", "delete"]) {
      await sql`create trigger ${sql.raw(`ledger_entries_${change}`)} before ${sql.raw(change)} on ledger_entries begin
        select raise(abort, 'entries of the ledger are never changed');
      end`.execute(db);
    }
    return;
  }
  await sql`create function tollgate_entry_changed() returns trigger language plpgsql as $body$
    begin
      raise exception 'entries of the ledger are never changed';
    end $body$`.execute(db);
  await sql`create trigger ledger_entries_changed before update or delete on ledger_entries
    for each row execute function tollgate_entry_changed()`.execute(db);
}

async function addAttribution(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("keys").addColumn("tags", "text").execute();
  for (const column of ["tags", "end_user", "session"]) {
    await db.schema.alterTable("requests").addColumn(column, "text").execute();
  }
}

/** Events: inserted with an id, a kind, an account, a payload and two times; what delivers them writes the rest. */
async function createOutbox(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("outbox")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("account_id", "text", (column) => column.notNull())
    .addColumn("payload", "text", (column) => column.notNull())
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("next_attempt_at", "bigint")
    .addColumn("attempts", "integer", (column) => column.notNull().defaultTo(0))
    .addColumn("delivered_to", "text", (column) => column.notNull().defaultTo("[]"))
    .addColumn("delivered_at", "bigint")
    .execute();
  await sql`create index outbox_due on outbox (next_attempt_at) where next_attempt_at is not null`.execute(db);
  await sql`create index outbox_by_age on outbox (created_at)`.execute(db);
}

async function createTagPolicies(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("tag_policies")
    .addColumn("account_id", "text", (column) => column.notNull().primaryKey())
    .addColumn("policy", "text", (column) => column.notNull())
    .execute();
}

async function addKeyDomains(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("keys").addColumn("scope_domains", "text").execute();
}

async function addKeyIpRanges(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable("keys").addColumn("scope_ip_ranges", "text").execute();
}
