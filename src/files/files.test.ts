import { afterEach, describe, expect, test } from "bun:test";
import type { BlobStore } from "../blobs/blob-store.ts";
import { newFileId } from "./file-id.ts";
import { createFiles, type Files } from "./files.ts";
import type { FileQuery, FileStore, StoredFile } from "./file-store.ts";

const fail = (): never => {
  throw new Error("This test does not ask for it.");
};

const store: FileStore = {
  claimBlob: fail,
  findClaimed: fail,
  insert: fail,
  find: fail,
  list: fail,
  delete: fail,
  usedBy: () => Promise.resolve({ files: 0, bytes: 0 }),
  deleteExpired: () => Promise.resolve(0),
  giveUpBlobs: () => Promise.resolve([]),
  forgetBlob: fail,
};
const blobs: BlobStore = { put: fail, size: fail, read: fail, remove: fail };

let opened: Files | null = null;
afterEach(() => opened?.stop());

function filesOf(change: Partial<FileStore>, limits = { maxBytes: 100, maxFiles: 3 }): Files {
  opened = createFiles({
    store: { ...store, ...change },
    blobs,
    clock: { now: () => 1_000 },
    log: { warn: fail },
    limits,
  });
  return opened;
}

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );
const newId = newFileId;

describe("an account", () => {
  test.each([
    [{ files: 2, bytes: 90 }, 10, null],
    [{ files: 2, bytes: 90 }, 11, "larger than 100 bytes together"],
    [{ files: 3, bytes: 3 }, 1, "more than 3 files"],
  ])("with %j has room for %i bytes or is told why not", async (used, bytes, why) => {
    const error = await errorOf(filesOf({ usedBy: () => Promise.resolve(used) }).checkRoom("a", bytes));
    if (why === null) expect(error).toBeNull();
    else
      expect(error).toMatchObject({ status: 413, code: "files_quota_exceeded", message: expect.stringContaining(why) });
  });
});

describe("a long list", () => {
  const all = Array.from({ length: 3_500 }, (_, index): StoredFile => ({
    id: newId(index),
    accountId: "a",
    createdAt: index,
    expiresAt: null,
    filename: "a.txt",
    purpose: "user_data",
    bytes: 1,
    contentType: "text/plain",
    blobKey: "key",
  }));
  const queries: FileQuery[] = [];
  const list = async (query: FileQuery) => {
    queries.push(query);
    const from = query.after === null ? 0 : all.findIndex(({ id }) => id === query.after) + 1;
    return all.slice(from, from + query.limit);
  };

  test.each([
    [10_000, 3_500, false],
    [3_500, 3_500, false],
    [3_499, 3_499, true],
    [1_000, 1_000, true],
    [1, 1, true],
  ])("of %i is read in parts, and is whole", async (limit, length, hasMore) => {
    queries.length = 0;
    const query: FileQuery = { accountId: "a", purpose: null, after: null, order: "asc", limit };
    const page = await filesOf({ list }).list(query);
    expect(page.files).toEqual(all.slice(0, length));
    expect(page.hasMore).toBe(hasMore);
    expect(Math.max(...queries.map((asked) => asked.limit))).toBeLessThanOrEqual(1_000);
    const { files } = await filesOf({ list }).list({ ...query, after: all[1_200]?.id ?? null });
    expect(files).toEqual(all.slice(1_201, 1_201 + limit));
  });
});

test("a full disk is told for what it is: a file that is not deleted is not one that is not stored", async () => {
  const full = () => Promise.reject(Object.assign(new Error("database or disk is full"), { code: "SQLITE_FULL" }));
  const files = filesOf({ delete: full });
  const error = await errorOf(files.delete("a", newId(1)));
  expect(error).toMatchObject({
    status: 507,
    code: "storage_full",
    message: expect.stringContaining("not be deleted"),
  });
});
