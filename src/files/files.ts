import { type BlobStore, newBlobKey } from "../blobs/blob-store.ts";
import { type Content, pieceBytes } from "../blobs/content.ts";
import { isDiskFull } from "../blobs/disk-errors.ts";
import type { Clock } from "../clock.ts";
import { GatewayError, notFound, overloaded } from "../errors.ts";
import { nextTurn } from "../next-turn.ts";
import { isFileId, newFileId } from "./file-id.ts";
import type { FileLimits, FileQuery, FileStore, StoredFile } from "./file-store.ts";
import { type SweepLog, startSweep } from "./sweep.ts";

/** A file to be kept. */
export interface NewFile {
  readonly accountId: string;
  readonly filename: string;
  readonly purpose: string;
  readonly contentType: string;
  readonly content: Content;
  /** In milliseconds; null if it does not expire. */
  readonly expiresAfterMs: number | null;
}

/** The files of all accounts. Everything rejects with 503 `storage_unavailable` if the storage does not answer. */
export interface Files {
  /** Rejects with a 413 if a file of `bytes` would be too much for the account. What is uploaded meanwhile is not counted. */
  checkRoom(accountId: string, bytes: number): Promise<void>;
  /** Keeps a file, durably. Rejects with a 413 if the account would have too many files or bytes, and a 507 if the disk is full. */
  create(file: NewFile): Promise<StoredFile>;
  /** Rejects with 404 `file_not_found`. */
  find(accountId: string | null, id: string): Promise<StoredFile>;
  /** A page of files, and whether more follow. */
  list(query: FileQuery): Promise<{ readonly files: readonly StoredFile[]; readonly hasMore: boolean }>;
  /** Deletes a file at once, and its bytes soon, unless another file has the same. Rejects with 404 `file_not_found`. */
  delete(accountId: string, id: string): Promise<void>;
  /** A file with its bytes. Rejects with 404 `file_not_found`. */
  open(accountId: string, id: string): Promise<OpenedFile>;
  /**
   * Stores a content that is no file, and returns the key of its blob. It is swept soon unless something is stored meanwhile
   * that has it.
   */
  keepBlob(content: Content): Promise<string>;
  /** Blobs may have lost what had them: they are swept now, rather than within a quarter of a minute. */
  sweepSoon(): void;
  /** The bytes of a file from `start` up to `end`. A piece is good until the next one is asked for. */
  read(file: Pick<StoredFile, "blobKey">, start: number, end: number): AsyncIterable<Uint8Array>;
  stop(): Promise<void>;
}

/** A file that can be read. */
export interface OpenedFile {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  /** Each call reads from the beginning. */
  readonly stream: () => AsyncIterable<Uint8Array>;
}

export interface FilesOptions {
  readonly store: FileStore;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly log: SweepLog;
  /** What the files of one account may be together. */
  readonly limits: FileLimits;
}

/** How long bytes may take from their claim to their file. Storing a scratch file takes milliseconds. */
const claimMs = 30_000;
/** Files that are read in one turn of the event loop: about 2 milliseconds. */
const filesAtOnce = 1_000;
/** How often a blob is claimed again that was swept meanwhile. */
const maxClaims = 3;

export function createFiles({ store, blobs, clock, log, limits }: FilesOptions): Files {
  const sweep = startSweep({ store, blobs, clock, log });

  /**
   * The key of the content's blob, whose bytes are there. They are stored even if there are such already: if that took less
   * time, it would tell that another account has the same content.
   */
  async function keep(content: Content): Promise<string> {
    const { sha256 } = content;
    const key = await store.claimBlob({ sha256, key: newBlobKey(sha256), until: clock.now() + claimMs });
    await blobs.put(key, content);
    return key;
  }

  async function create(file: NewFile): Promise<StoredFile> {
    const { content, expiresAfterMs, ...facts } = file;
    for (let claims = 0; claims < maxClaims; claims++) {
      const blobKey = await keep(content);
      const now = clock.now();
      const stored: StoredFile = {
        ...facts,
        id: newFileId(now),
        createdAt: now,
        expiresAt: expiresAfterMs === null ? null : now + expiresAfterMs,
        bytes: content.size,
        blobKey,
      };
      const outcome = await store.insert(stored, limits, now);
      if (outcome === "inserted") return stored;
      if (outcome !== "swept") throw overQuota(outcome, limits);
    }
    throw storageUnavailable();
  }

  /** A page of any length, of which each part is read in a turn of its own. */
  async function readFiles(query: FileQuery): Promise<StoredFile[]> {
    const found: StoredFile[] = [];
    const now = clock.now();
    for (let { after } = query; found.length < query.limit; after = found.at(-1)?.id ?? null) {
      if (found.length > 0) await nextTurn();
      const limit = Math.min(filesAtOnce, query.limit - found.length);
      const page = await store.list({ ...query, after, limit }, now);
      found.push(...page);
      if (page.length < limit) break;
    }
    return found;
  }

  const find = (accountId: string | null, id: string) =>
    whileAvailable(async () => {
      const file = isFileId(id) ? await store.find(accountId, id, clock.now()) : null;
      return file ?? notThere(id);
    });

  return {
    checkRoom: (accountId, bytes) =>
      whileAvailable(async () => {
        const used = await store.usedBy(accountId, limits.maxFiles, clock.now());
        if (used.files >= limits.maxFiles) throw overQuota("too_many", limits);
        if (used.bytes + bytes > limits.maxBytes) throw overQuota("too_large", limits);
      }),
    create: (file) => whileAvailable(() => create(file)),
    find,
    async open(accountId, id) {
      const { filename, contentType, bytes: size, blobKey } = await find(accountId, id);
      return { filename, contentType, size, stream: () => blobs.read(blobKey, 0, size) };
    },
    list: (query) =>
      whileAvailable(async () => {
        const found = await readFiles({ ...query, limit: query.limit + 1 });
        return { files: found.slice(0, query.limit), hasMore: found.length > query.limit };
      }),
    delete: (accountId, id) =>
      whileAvailable(async () => {
        if (!isFileId(id) || !(await store.delete(accountId, id, clock.now()))) notThere(id);
        sweep.soon();
      }, "The gateway's disk is full, so that the file could not be deleted: its operator has to make room first."),
    keepBlob: (content) => whileAvailable(() => keep(content)),
    sweepSoon: () => sweep.soon(),
    read: ({ blobKey }, start, end) =>
      // Read for one caller, which has taken a piece before the next one is read: 200 MB leave no garbage.
      blobs.read(blobKey, start, end, Buffer.allocUnsafeSlow(Math.max(1, Math.min(pieceBytes, end - start)))),
    stop: () => sweep.stop(),
  };
}

function notThere(id: string): never {
  throw notFound("file_not_found", `No such file: '${id.slice(0, 64)}'.`, "file_id");
}

function overQuota(excess: "too_large" | "too_many", { maxBytes, maxFiles }: FileLimits): GatewayError {
  const message =
    excess === "too_large"
      ? `The files of this account would be larger than ${maxBytes} bytes together. Delete some of them.`
      : `This account would have more than ${maxFiles} files. Delete some of them.`;
  return GatewayError.of("files_quota_exceeded", message, { param: "file" });
}

function storageUnavailable(): GatewayError {
  return overloaded("storage_unavailable", "Files cannot be stored or read at the moment.", 5);
}

/** Calls the store. A full disk becomes a 507 of this message, another failure a 503; a `GatewayError` is passed on. */
async function whileAvailable<Result>(
  ask: () => Promise<Result>,
  whenFull = "The gateway has no room to store this file at the moment.",
): Promise<Result> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    if (isDiskFull(cause)) {
      throw GatewayError.of("storage_full", whenFull, { cause });
    }
    throw GatewayError.of("storage_unavailable", storageUnavailable().message, { retryAfterSeconds: 5, cause });
  }
}
