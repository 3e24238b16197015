import { type Kysely, sql } from "kysely";
import type { FilesUsed, FileStore, StoredFile } from "../../files/file-store.ts";
import type { StorageKind } from "../migrations/migrations.ts";
import type { FileRow, Tables } from "../schema.ts";

/**
 * Files, alike on every database. On SQLite each statement is atomic by itself. On Postgres inserting a file and giving up
 * blobs take the locks of the blobs first, and the statement that follows sees what others have committed.
 */
export function createFileStore(db: Kysely<Tables>, kind: StorageKind): FileStore {
  const atomically = <Result>(run: (db: Kysely<Tables>) => Promise<Result>) =>
    kind === "postgres" ? db.transaction().execute(run) : run(db);

  return {
    async claimBlob({ sha256, key, until }) {
      const { rows } = await sql<{ key: string }>`insert into blobs (key, sha256, claimed_until)
        values (${key}, ${sha256}, ${until})
        on conflict (sha256) do update set claimed_until =
          case when blobs.claimed_until > excluded.claimed_until then blobs.claimed_until else excluded.claimed_until end
        returning key`.execute(db);
      return rows[0]?.key ?? key;
    },
    async findClaimed(sha256, now) {
      const { rows } = await sql<{ key: string }>`select key from blobs
        where sha256 = ${sha256} and claimed_until > ${now}`.execute(db);
      return rows[0]?.key ?? null;
    },
    insert: (file, { maxBytes, maxFiles }, now) =>
      atomically(async (within) => {
        if (kind === "postgres") {
          await sql`select pg_advisory_xact_lock(hashtextextended(${`files ${file.accountId}`}, 0))`.execute(within);
          await sql`select 1 from blobs where key = ${file.blobKey} for update`.execute(within);
        }
        const row = fileToRow(file);
        const hasBlob = sql`exists (select 1 from blobs where key = ${row.blob_key} and sha256 is not null)`;
        const hasRoom = sql`exists (select 1 from ${usedBy(row.account_id, maxFiles, now)}
          where used.files < ${maxFiles} and used.bytes + ${row.bytes} <= ${maxBytes})`;
        const { rows } = await sql`insert into files (${columns})
          select ${sql.join(fileColumns.map((column) => sql`cast(${row[column]} as ${sql.raw(columnTypes[column])})`))}
          where ${hasBlob} and ${hasRoom}
          returning id`.execute(within);
        if (rows.length > 0) return "inserted";
        const { rows: blobs } = await sql`select 1 where ${hasBlob}`.execute(within);
        if (blobs.length === 0) return "swept";
        const { files } = await readUsed(within, row.account_id, maxFiles, now);
        return files < maxFiles ? "too_large" : "too_many";
      }),
    async find(accountId, id, now) {
      const { rows } = await sql<FileRow>`select ${columns} from files
        where id = ${id} and ${isOf(accountId)} and ${isAlive(now)}`.execute(db);
      return rows[0] === undefined ? null : rowToFile(rows[0]);
    },
    async list({ accountId, purpose, after, order, limit }, now) {
      const rows = await db
        .selectFrom("files")
        .select(fileColumns)
        .where(isOf(accountId))
        .where(isAlive(now))
        .$if(purpose !== null, (query) => query.where("purpose", "=", purpose))
        .$if(after !== null, (query) => query.where("id", order === "asc" ? ">" : "<", after))
        .orderBy("id", order)
        .limit(limit)
        .execute();
      return rows.map(rowToFile);
    },
    async delete(accountId, id, now) {
      const { rows } = await sql`delete from files
        where id = ${id} and account_id = ${accountId} and ${isAlive(now)} returning id`.execute(db);
      return rows.length > 0;
    },
    usedBy: (accountId, maxFiles, now) => readUsed(db, accountId, maxFiles, now),
    async deleteExpired(now, limit) {
      const { rows } = await sql`delete from files where id in (
          select id from files where expires_at <= ${now} order by expires_at limit ${limit}
        ) returning id`.execute(db);
      return rows.length;
    },
    giveUpBlobs: (now, limit) =>
      atomically(async (within) => {
        const unused = sql`sha256 is not null and claimed_until < ${now}
          and not exists (select 1 from files where files.blob_key = blobs.key)
          and not exists (select 1 from video_jobs where video_jobs.blob_key = blobs.key)`;
        const lock = sql.raw(kind === "postgres" ? "for update skip locked" : "");
        const { rows } = await sql<{
          key: string;
        }>`select key from blobs where ${unused} limit ${limit} ${lock}`.execute(within);
        if (rows.length > 0) {
          // Asked again, now that no file can get them in between.
          const keys = sql.join(rows.map(({ key }) => key));
          await sql`update blobs set sha256 = null where key in (${keys}) and ${unused}`.execute(within);
        }
        const given = await sql<{ key: string }>`select key from blobs where sha256 is null limit ${limit}`.execute(
          within,
        );
        return given.rows.map(({ key }) => key);
      }),
    async forgetBlob(key) {
      await sql`delete from blobs where key = ${key} and sha256 is null`.execute(db);
    },
  };
}

const columnTypes = {
  id: "text",
  account_id: "text",
  created_at: "bigint",
  expires_at: "bigint",
  filename: "text",
  purpose: "text",
  bytes: "bigint",
  content_type: "text",
  blob_key: "text",
} as const satisfies Record<keyof FileRow, string>;

const fileColumns = [
  "id",
  "account_id",
  "created_at",
  "expires_at",
  "filename",
  "purpose",
  "bytes",
  "content_type",
  "blob_key",
] as const satisfies readonly (keyof FileRow)[];

const columns = sql.join(fileColumns.map((column) => sql.ref(column)));

function isOf(accountId: string | null) {
  return accountId === null ? sql<boolean>`true` : sql<boolean>`account_id = ${accountId}`;
}

function isAlive(now: number) {
  return sql<boolean>`(expires_at is null or expires_at > ${now})`;
}

/**
 * A table of one row: what the files of an account are together. The index `files_by_size` has all that it reads, and no more than
 * `maxFiles` of them are looked at: its time is bounded.
 */
function usedBy(accountId: string, maxFiles: number, now: number) {
  return sql`(select count(*) as files, coalesce(sum(bytes), 0) as bytes from (
      select bytes from files where account_id = ${accountId} and ${isAlive(now)} limit ${maxFiles}
    ) as alive) as used`;
}

async function readUsed(db: Kysely<Tables>, accountId: string, maxFiles: number, now: number): Promise<FilesUsed> {
  const { rows } = await sql<Record<keyof FilesUsed, number | string>>`select files, bytes
    from ${usedBy(accountId, maxFiles, now)}`.execute(db);
  return { files: Number(rows[0]?.files ?? 0), bytes: Number(rows[0]?.bytes ?? 0) };
}

function fileToRow(file: StoredFile): FileRow {
  return {
    id: file.id,
    account_id: file.accountId,
    created_at: file.createdAt,
    expires_at: file.expiresAt,
    filename: file.filename,
    purpose: file.purpose,
    bytes: file.bytes,
    content_type: file.contentType,
    blob_key: file.blobKey,
  };
}

function rowToFile(row: FileRow): StoredFile {
  return {
    id: row.id,
    accountId: row.account_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    filename: row.filename,
    purpose: row.purpose,
    bytes: row.bytes,
    contentType: row.content_type,
    blobKey: row.blob_key,
  };
}
