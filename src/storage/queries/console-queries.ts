import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Actor, NewChange } from "../../changes/change.ts";
import type { Clock } from "../../clock.ts";
import {
  type ConsoleLink,
  type ConsoleStore,
  EmailTaken,
  type KnownKey,
  type StoredSession,
} from "../../console/console-store.ts";
import { type ConsoleUser, userSettings } from "../../console/user.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { ConsoleLinkRow, ConsoleUserRow, Tables } from "../schema.ts";
import { changeStatement, type Statement } from "./change-queries.ts";
import type { CommitStatements } from "./video-queries.ts";

interface ConsoleStoreTools {
  readonly kind: StorageKind;
  readonly commit: CommitStatements;
  readonly clock: Clock;
}

/** The users of the console with what belongs to them, alike on every database. */
export function createConsoleStore(db: Kysely<Tables>, { kind, commit, clock }: ConsoleStoreTools): ConsoleStore {
  const locked = sql.raw(kind === "postgres" ? "for update" : "");
  const trail = (change: NewChange) => changeStatement(db, change, clock);
  const users = () => db.selectFrom("console_users").selectAll();

  /** Whether there is another owner. On Postgres the rows are held, so that of two removals at once one waits. */
  const hasOtherOwner = (id: string): RawBuilder<boolean> =>
    sql<boolean>`exists (select 1 from (select id from console_users where role = 'owner' ${locked}) as owners
      where owners.id <> ${id})`;

  // Whoever loses the role may have kept a link that makes another owner.
  const endLinks = db.deleteFrom("console_links").compile();

  async function findUser(id: string): Promise<ConsoleUser | null> {
    const row = await users().where("id", "=", id).executeTakeFirst();
    return row ? rowToUser(row) : null;
  }

  /** What a user signs in with beside the password. */
  async function countCredentials(id: string): Promise<{ readonly passkeys: number; readonly single_sign_on: number }> {
    const passkeys = await db.selectFrom("console_passkeys").select("id").where("user_id", "=", id).execute();
    const identities = db.selectFrom("console_identities").select("id").where("user_id", "=", id);
    const linked = await identities.where("provider", "<>", "credential").execute();
    return { passkeys: passkeys.length, single_sign_on: linked.length };
  }

  const pendingLinks = (now: number) =>
    db
      .selectFrom("console_links")
      .selectAll()
      .where("kind", "<>", "set_up")
      .where("used_at", "is", null)
      .where("expires_at", ">", now);

  const sessions = (now: number) =>
    db
      .selectFrom("console_sessions as session")
      .innerJoin("console_users as user", "user.id", "session.user_id")
      .select(["session.id as session_id", "session.created_at as began_at", "session.expires_at"])
      .select(["session.ip_address", "session.user_agent"])
      .select(["user.id", "user.name", "user.email", "user.role", "user.account_id", "user.created_at"])
      .where("session.expires_at", ">", isoTime(now));

  return {
    // Its SQLite dialect writes times as text and flags as numbers, which these tables have on every database.
    authDatabase: { db, type: "sqlite" },
    async hasUsers() {
      return (await db.selectFrom("console_users").select("id").limit(1).executeTakeFirst()) !== undefined;
    },
    async listUsers(limit) {
      return (await users().orderBy("created_at").orderBy("id").limit(limit).execute()).map(rowToUser);
    },
    findUser,
    async findUserByEmail(email) {
      const row = await users().where("email", "=", email).executeTakeFirst();
      return row ? rowToUser(row) : null;
    },
    async changeUser(id, change, by) {
      const before = await findUser(id);
      if (before === null) return "unknown";
      const { name, role, accountId } = change;
      let statement = db
        .updateTable("console_users")
        .set({ name, role, account_id: accountId, updated_at: isoTime(clock.now()) })
        .where("id", "=", id);
      if (role !== "owner") statement = statement.where(sql<boolean>`(role <> 'owner' or ${hasOtherOwner(id)})`);
      const states = { before: userSettings(before), after: userSettings({ ...before, ...change }) };
      const entry = trail({ by, kind: "console_user", id, action: "change", ...states });
      const ended = before.role === "owner" && role !== "owner" ? [endLinks] : [];
      return (await commit(statement.compile(), [...ended, entry], [])) ? "changed" : "last_owner";
    },
    async removeUser(id, by) {
      const before = await findUser(id);
      if (before === null) return "unknown";
      const statement = db
        .deleteFrom("console_users")
        .where("id", "=", id)
        .where(sql<boolean>`(role <> 'owner' or ${hasOtherOwner(id)})`);
      const others = [
        ...removeCredentials(db, id),
        before.role === "owner" ? endLinks : db.deleteFrom("console_links").where("user_id", "=", id).compile(),
        trail({ by, kind: "console_user", id, action: "remove", before: userSettings(before), after: null }),
      ];
      return (await commit(statement.compile(), others, [])) ? "changed" : "last_owner";
    },
    async findSession(token, now) {
      const row = await sessions(now).where("session.token", "=", token).executeTakeFirst();
      return row ? rowToSession(row) : null;
    },
    async listSessions(userId, now, limit) {
      let query = sessions(now).orderBy("session.created_at", "desc").orderBy("session.id").limit(limit);
      if (userId !== null) query = query.where("session.user_id", "=", userId);
      return (await query.execute()).map(rowToSession);
    },
    async removeSession(id, userId) {
      let query = db.deleteFrom("console_sessions").where("id", "=", id);
      if (userId !== null) query = query.where("user_id", "=", userId);
      return (await query.executeTakeFirst()).numDeletedRows > 0n;
    },
    async trimSessions(userId, keep) {
      await sql`delete from console_sessions where user_id = ${userId} and id not in (select id from console_sessions
        where user_id = ${userId} order by created_at desc, id limit ${keep})`.execute(db);
    },
    async putLink(tokenHash, link, by) {
      const row = { token_hash: tokenHash, used_at: null, ...linkToRow(link) };
      // The first statement has to change a row.
      const insert = db.insertInto("console_links").values(row);
      const earlier = db
        .deleteFrom("console_links")
        .where("token_hash", "<>", tokenHash)
        .where("kind", "=", link.kind)
        .$if(link.kind === "invitation", (query) => query.where("email", "=", link.email))
        .$if(link.userId !== null, (query) => query.where("user_id", "=", link.userId));
      const made = by === null ? [] : [trail({ by, ...linkChange(link) })];
      await commit(insert.compile(), [earlier.compile(), ...made], []);
    },
    async adminKeysOf(email, now, limit) {
      const { rows } = await adminKeysOf(email, now, limit).execute(db);
      return rows;
    },
    async listLinks(now, limit) {
      const rows = await pendingLinks(now).orderBy("created_at", "desc").orderBy("token_hash").limit(limit).execute();
      return rows.map((row) => ({ ...rowToLink(row), id: row.token_hash.slice(0, linkIdLength) }));
    },
    async removeLink(id, now, by) {
      const row = await pendingLinks(now).where(isLink(id)).executeTakeFirst();
      if (row === undefined) return false;
      const removal = db
        .deleteFrom("console_links")
        .where("token_hash", "=", row.token_hash)
        .where("used_at", "is", null);
      const { after, ...named } = linkChange(rowToLink(row));
      const action = row.kind === "invitation" ? "revoke_invite" : "revoke_reset";
      return commit(removal.compile(), [trail({ by, ...named, action, before: after, after: null })], []);
    },
    async findLink(tokenHash, now) {
      const row = await db
        .selectFrom("console_links")
        .selectAll()
        .where("token_hash", "=", tokenHash)
        .where("used_at", "is", null)
        .where("expires_at", ">", now)
        .executeTakeFirst();
      return row ? rowToLink(row) : null;
    },
    async redeem(tokenHash, link, redeemer, now) {
      const claim = db
        .updateTable("console_links")
        .set({ used_at: now })
        .where("token_hash", "=", tokenHash)
        .where("used_at", "is", null)
        .where("expires_at", ">", now)
        .where(sql<boolean>`(kind <> 'set_up' or not exists (select 1 from console_users))`);
      const { id, email } = redeemer.user;
      const by: Actor = { kind: "console", user: email };
      const user = userSettings(redeemer.user);
      const isNew = link.userId === null;
      const entry = isNew
        ? trail({ by, kind: "console_user", id, action: "create", before: null, after: user })
        : trail({
            by,
            kind: "console_user",
            id,
            action: "reset_password",
            before: { ...user, ...(await countCredentials(id)) },
            after: { ...user, passkeys: 0, single_sign_on: 0 },
          });
      // A stranger who had the account may have added what signs in without the password.
      const made = isNew ? [insertUser(db, redeemer.user)] : removeCredentials(db, id);
      try {
        return await commit(claim.compile(), [...made, insertPassword(db, id, redeemer.passwordHash, now), entry], []);
      } catch (error) {
        if (isNew && isDuplicate(error)) throw new EmailTaken(`The address ${email} belongs to another user.`);
        throw error;
      }
    },
    async removeChallenges(ids) {
      if (ids.length > 0) await db.deleteFrom("console_verifications").where("id", "in", ids).execute();
    },
    async removeExpired(now) {
      await db.deleteFrom("console_sessions").where("expires_at", "<=", isoTime(now)).execute();
      await db.deleteFrom("console_verifications").where("expires_at", "<=", isoTime(now)).execute();
      await db.deleteFrom("console_links").where("expires_at", "<=", now).execute();
      return 0;
    },
  };
}

/** The id of a link is the beginning of its token's hash. */
const linkIdLength = 16;

function isLink(id: string): RawBuilder<boolean> {
  return sql<boolean>`substr(token_hash, 1, ${sql.lit(linkIdLength)}) = ${id}`;
}

/**
 * The trail says who was shown which secret: `issued` are the creations and rotations of keys by the user, and those with a key
 * from then on. A key counts if the last of its issues is among them; any of them does while an old secret is still valid.
 */
function adminKeysOf(email: string, now: number, limit: number): RawBuilder<KnownKey> {
  const isIssue = sql`kind = 'key' and action in ('create', 'rotate')`;
  return sql<KnownKey>`with recursive issued (id, sequence) as (
      select subject_id, sequence from changes where ${isIssue} and actor_kind = 'console' and actor = ${email}
      union
      select later.subject_id, later.sequence from changes as later join issued on later.actor = issued.id
        where later.kind = 'key' and later.action in ('create', 'rotate') and later.actor_kind = 'key'
          and later.sequence > issued.sequence
    )
    select keys.id, keys.name from keys
      where keys.admin = 1 and keys.disabled_at is null and (keys.expires_at is null or keys.expires_at > ${now})
        and exists (select 1 from issued where issued.id = keys.id and (keys.previous_expires_at > ${now}
          or issued.sequence = (select max(sequence) from changes where ${isIssue} and subject_id = keys.id)))
      order by keys.created_at, keys.id limit ${limit}`;
}

/** How the trail tells that a link was made: of the user whose password it resets, or of the address that it invites. */
function linkChange({ email, name, role, accountId, userId }: ConsoleLink): Omit<NewChange, "by"> {
  const invited = { kind: "console_user", id: email ?? "", action: "invite" } as const;
  const named = userId === null ? invited : ({ kind: "console_user", id: userId, action: "issue_reset" } as const);
  return { ...named, before: null, after: userSettings({ name: name ?? "", email: email ?? "", role, accountId }) };
}

function insertUser(db: Kysely<Tables>, user: ConsoleUser): Statement {
  const time = isoTime(user.createdAt);
  const { id, name, email, role, accountId } = user;
  // Who sends an invitation vouches for its address.
  const row = { id, name, email, email_verified: 1, image: null, role, account_id: accountId };
  return db
    .insertInto("console_users")
    .values({ ...row, created_at: time, updated_at: time })
    .compile();
}

function insertPassword(db: Kysely<Tables>, userId: string, password: string, now: number): Statement {
  const time = isoTime(now);
  return db
    .insertInto("console_identities")
    .values({
      id: crypto.randomUUID(),
      subject: userId,
      provider: "credential",
      user_id: userId,
      password,
      created_at: time,
      updated_at: time,
    })
    .compile();
}

/** Ends all sessions of a user, and removes all that the user signs in with. */
function removeCredentials(db: Kysely<Tables>, userId: string): Statement[] {
  return (["console_sessions", "console_identities", "console_passkeys"] as const).map((table) =>
    db.deleteFrom(table).where("user_id", "=", userId).compile(),
  );
}

/** A unique constraint was violated. */
function isDuplicate(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "23505" || code === "SQLITE_CONSTRAINT_UNIQUE";
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

type UserColumns = Pick<ConsoleUserRow, "id" | "name" | "email" | "role" | "account_id" | "created_at">;

function rowToUser({ id, name, email, role, account_id: accountId, created_at }: UserColumns): ConsoleUser {
  // Only this file and the gateway's settings of the library write the column.
  return { id, name, email, role: role as ConsoleUser["role"], accountId, createdAt: Date.parse(created_at) };
}

type SessionColumns = UserColumns & {
  readonly session_id: string;
  readonly began_at: string;
  readonly expires_at: string;
  readonly ip_address: string | null;
  readonly user_agent: string | null;
};

function rowToSession(row: SessionColumns): StoredSession {
  return {
    id: row.session_id,
    user: rowToUser(row),
    createdAt: Date.parse(row.began_at),
    expiresAt: Date.parse(row.expires_at),
    address: row.ip_address || null,
    userAgent: row.user_agent || null,
  };
}

function rowToLink(row: ConsoleLinkRow): ConsoleLink {
  return {
    // Only `putLink` writes these columns.
    kind: row.kind as ConsoleLink["kind"],
    role: row.role as ConsoleLink["role"],
    email: row.email,
    name: row.name,
    accountId: row.account_id,
    userId: row.user_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

function linkToRow(link: ConsoleLink): Omit<ConsoleLinkRow, "token_hash" | "used_at"> {
  return {
    kind: link.kind,
    email: link.email,
    name: link.name,
    role: link.role,
    account_id: link.accountId,
    user_id: link.userId,
    created_at: link.createdAt,
    expires_at: link.expiresAt,
  };
}
