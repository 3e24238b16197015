/** An uploaded file. */
export interface StoredFile {
  /** `file-` and 26 characters that sort by time. */
  readonly id: string;
  readonly accountId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Milliseconds since 1970; null if it does not expire. */
  readonly expiresAt: number | null;
  readonly filename: string;
  readonly purpose: string;
  readonly bytes: number;
  /** By its first bytes. */
  readonly contentType: string;
  /** The key of its content. Files with the same content share one. */
  readonly blobKey: string;
}

/** A claim on the blob of a content: it is not swept before `until`, though no file has it yet. */
export interface BlobClaim {
  readonly sha256: string;
  /** The key that the blob gets if there is none of this content. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** What the files of an account may be together. */
export interface FileLimits {
  readonly maxBytes: number;
  readonly maxFiles: number;
}

/** What the files of an account are together. */
export interface FilesUsed {
  readonly bytes: number;
  readonly files: number;
}

/** A page of files. */
export interface FileQuery {
  /** Null for those of all accounts, which operators see. */
  readonly accountId: string | null;
  readonly purpose: string | null;
  /** The id of the last file of the page before; null for the first page. */
  readonly after: string | null;
  readonly order: "asc" | "desc";
  readonly limit: number;
}

/**
 * Stores what is known of files. Implemented by `src/storage`. A file is visible to its account only, and until it expires.
 * `now` is in milliseconds since 1970.
 */
export interface FileStore {
  /** Claims the blob of a content, before its bytes are written. Returns its key. */
  claimBlob(claim: BlobClaim): Promise<string>;
  /** The key of a blob that is claimed under this digest for longer than `now`; null if there is none. */
  findClaimed(sha256: string, now: number): Promise<string | null>;
  /**
   * Inserts a file whose bytes are written. `too_large` and `too_many`: the account's files would exceed their limits in bytes
   * or in number, however many are inserted at once. `swept`: its blob is gone, since the claim has run out; claim it again.
   */
  insert(file: StoredFile, limits: FileLimits, now: number): Promise<"inserted" | "too_large" | "too_many" | "swept">;
  /** @param accountId null for a file of any account */
  find(accountId: string | null, id: string, now: number): Promise<StoredFile | null>;
  /** Up to `limit` files. */
  list(query: FileQuery, now: number): Promise<StoredFile[]>;
  /** False if there is no such file. */
  delete(accountId: string, id: string, now: number): Promise<boolean>;
  /** The number and the bytes of an account's files, of up to `maxFiles` of them. */
  usedBy(accountId: string, maxFiles: number, now: number): Promise<FilesUsed>;
  /** Deletes up to `limit` expired files. Returns the number deleted. */
  deleteExpired(now: number, limit: number): Promise<number>;
  /**
   * Gives up to `limit` blobs up that no file has and no claim holds: no new file gets them. Returns their keys, and those that
   * were given up before and not forgotten.
   */
  giveUpBlobs(now: number, limit: number): Promise<string[]>;
  /** Forgets a blob that was given up and whose bytes are removed. */
  forgetBlob(key: string): Promise<void>;
}
