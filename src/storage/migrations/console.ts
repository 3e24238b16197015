import type { Kysely } from "kysely";
import type { Tables } from "../schema.ts";

/**
 * Users of the console. The library of sign-in writes the first five tables: its times are ISO 8601 in UTC, which sort as
 * text.
 */
export async function createConsoleTables(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("console_users")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("email", "text", (column) => column.notNull().unique())
    .addColumn("email_verified", "integer", (column) => column.notNull())
    .addColumn("image", "text")
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("account_id", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("updated_at", "text", (column) => column.notNull())
    .execute();
  await createSessions(db);
  await createCredentials(db);
  await db.schema
    .createTable("console_verifications")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("identifier", "text", (column) => column.notNull())
    .addColumn("value", "text", (column) => column.notNull())
    .addColumn("expires_at", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("updated_at", "text", (column) => column.notNull())
    .execute();
  await index(db, "console_verifications", "identifier");
  await index(db, "console_verifications", "expires_at");
  await db.schema
    .createTable("console_links")
    .addColumn("token_hash", "text", (column) => column.notNull().primaryKey())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("email", "text")
    .addColumn("name", "text")
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("account_id", "text")
    .addColumn("user_id", "text")
    .addColumn("created_at", "bigint", (column) => column.notNull())
    .addColumn("expires_at", "bigint", (column) => column.notNull())
    .addColumn("used_at", "bigint")
    .execute();
}

async function createSessions(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("console_sessions")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("token", "text", (column) => column.notNull().unique())
    .addColumn("user_id", "text", (column) => column.notNull())
    .addColumn("expires_at", "text", (column) => column.notNull())
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("updated_at", "text", (column) => column.notNull())
    .addColumn("ip_address", "text")
    .addColumn("user_agent", "text")
    .execute();
  await index(db, "console_sessions", "user_id");
  await index(db, "console_sessions", "expires_at");
}

/** Passwords, identities at OIDC providers, and passkeys. */
async function createCredentials(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable("console_identities")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("subject", "text", (column) => column.notNull())
    .addColumn("provider", "text", (column) => column.notNull())
    .addColumn("user_id", "text", (column) => column.notNull())
    .addColumn("password", "text")
    .addColumn("access_token", "text")
    .addColumn("refresh_token", "text")
    .addColumn("id_token", "text")
    .addColumn("access_token_expires_at", "text")
    .addColumn("refresh_token_expires_at", "text")
    .addColumn("scope", "text")
    .addColumn("created_at", "text", (column) => column.notNull())
    .addColumn("updated_at", "text", (column) => column.notNull())
    .addUniqueConstraint("console_identities_once", ["provider", "subject"])
    .execute();
  await index(db, "console_identities", "user_id");
  await db.schema
    .createTable("console_passkeys")
    .addColumn("id", "text", (column) => column.notNull().primaryKey())
    .addColumn("name", "text")
    .addColumn("public_key", "text", (column) => column.notNull())
    .addColumn("user_id", "text", (column) => column.notNull())
    .addColumn("credential_id", "text", (column) => column.notNull().unique())
    .addColumn("counter", "bigint", (column) => column.notNull())
    .addColumn("device_type", "text", (column) => column.notNull())
    .addColumn("backed_up", "integer", (column) => column.notNull())
    .addColumn("transports", "text")
    .addColumn("created_at", "text")
    .addColumn("aaguid", "text")
    .execute();
  await index(db, "console_passkeys", "user_id");
}

async function index(db: Kysely<Tables>, table: string, column: string): Promise<void> {
  await db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
}
