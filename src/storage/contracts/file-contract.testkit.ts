import { expect, test } from "bun:test";
import type { FileStore, StoredFile } from "../../files/file-store.ts";
import { newRequestId } from "../../identifiers.ts";

let last = 0;
const sha256Of = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("hex");
const hour = 3_600_000;
const unbounded = { maxBytes: 1e15, maxFiles: 1_000 };

/** Tests that every store of files must pass. */
export function fileContract(stores: () => { readonly store: FileStore; readonly other: FileStore }): void {
  /** A file of a new account, whose blob is claimed. */
  async function claimed(change: Partial<StoredFile> = {}, content = `content ${++last}`): Promise<StoredFile> {
    const sha256 = sha256Of(content);
    const key = `${sha256}-${(++last).toString(16).padStart(8, "0")}`;
    const blobKey = await stores().store.claimBlob({ sha256, key, until: 2_000 });
    return {
      id: `file-${newRequestId(1_000 + last).slice(4)}`,
      accountId: `account${last}`,
      createdAt: 1_000,
      expiresAt: null,
      filename: "Zoë's 日本.txt",
      purpose: "user_data",
      bytes: 3_000_000_000,
      contentType: "text/plain",
      blobKey,
      ...change,
    };
  }
  const insert = (file: StoredFile, limits = unbounded, now = 1_000) => stores().store.insert(file, limits, now);

  test("a file is returned unchanged, to its own account, until it expires", async () => {
    const file = await claimed({ expiresAt: 5_000 });
    expect(await insert(file)).toBe("inserted");
    const { other } = stores();
    expect(await other.find(file.accountId, file.id, 4_999)).toEqual(file);
    expect(await other.find(file.accountId, file.id, 5_000)).toBeNull();
    expect(await other.find("stranger", file.id, 1_000)).toBeNull();
    expect(await other.delete("stranger", file.id, 1_000)).toBe(false);
    expect(await other.delete(file.accountId, file.id, 5_000)).toBe(false);
    expect(await other.usedBy(file.accountId, 5, 1_000)).toEqual({ files: 1, bytes: 3_000_000_000 });
    expect(await other.usedBy(file.accountId, 5, 5_000)).toEqual({ files: 0, bytes: 0 });
    expect(await other.delete(file.accountId, file.id, 1_000)).toBe(true);
    expect(await other.delete(file.accountId, file.id, 1_000)).toBe(false);
    expect(await other.find(file.accountId, file.id, 1_000)).toBeNull();
  });

  test("pages follow one another in both orders, by purpose or all", async () => {
    const accountId = `pages${++last}`;
    const files: StoredFile[] = [];
    for (let index = 0; index < 7; index++) {
      const file = await claimed({ accountId, purpose: index % 2 === 0 ? "batch" : "vision" });
      await insert(file);
      files.push(file);
    }
    const { store } = stores();
    const walk = async (purpose: string | null, order: "asc" | "desc") => {
      const found: StoredFile[] = [];
      for (;;) {
        const page = await store.list({ accountId, purpose, order, after: found.at(-1)?.id ?? null, limit: 2 }, 1_000);
        if (page.length === 0) return found;
        found.push(...page);
      }
    };
    expect(await walk(null, "asc")).toEqual(files);
    expect(await walk(null, "desc")).toEqual(files.toReversed());
    expect(await walk("vision", "asc")).toEqual(files.filter(({ purpose }) => purpose === "vision"));
  });

  test("an account has no more bytes than it may, however many files come at once", async () => {
    const accountId = `quota${++last}`;
    const files: StoredFile[] = [];
    for (let index = 0; index < 20; index++) files.push(await claimed({ accountId, bytes: 10 }));
    const { store, other } = stores();
    const limits = { maxBytes: 75, maxFiles: 1_000 };
    const outcomes = await Promise.all(
      files.map((file, index) => (index % 2 === 0 ? store : other).insert(file, limits, 1_000)),
    );
    expect(outcomes.filter((outcome) => outcome === "inserted")).toHaveLength(7);
    expect(outcomes.filter((outcome) => outcome === "too_large")).toHaveLength(13);
    expect(await store.usedBy(accountId, 1_000, 1_000)).toEqual({ files: 7, bytes: 70 });
    expect(await insert(await claimed({ accountId, bytes: 5 }), limits)).toBe("inserted");
    expect(await insert(await claimed({ accountId, bytes: 1 }), limits)).toBe("too_large");
  });

  test("an account has no more files than it may, however many come at once, and expired ones do not count", async () => {
    const accountId = `number${++last}`;
    const files: StoredFile[] = [];
    for (let index = 0; index < 20; index++) files.push(await claimed({ accountId, expiresAt: 5_000 }));
    const { store, other } = stores();
    const limits = { ...unbounded, maxFiles: 7 };
    const outcomes = await Promise.all(
      files.map((file, index) => (index % 2 === 0 ? store : other).insert(file, limits, 1_000)),
    );
    expect(outcomes.filter((outcome) => outcome === "inserted")).toHaveLength(7);
    expect(outcomes.filter((outcome) => outcome === "too_many")).toHaveLength(13);
    expect(await store.usedBy(accountId, 7, 1_000)).toEqual({ files: 7, bytes: 21_000_000_000 });
    expect(await store.usedBy(accountId, 3, 1_000)).toMatchObject({ files: 3 });
    await other.delete(accountId, files[outcomes.indexOf("inserted")]?.id ?? "", 1_000);
    expect(await insert(await claimed({ accountId }), limits)).toBe("inserted");
    expect(await insert(await claimed({ accountId }), limits)).toBe("too_many");
    expect(await insert(await claimed({ accountId }), limits, 5_000)).toBe("inserted");
  });

  test("a blob is shared by files of the same content, and given up with the last one", async () => {
    const { store, other } = stores();
    const [first, second] = [await claimed({}, "shared"), await claimed({}, "shared")];
    expect(second.blobKey).toBe(first.blobKey);
    await insert(first);
    await insert(second);
    const sweep = async (now = hour) => (await store.giveUpBlobs(now, 10_000)).includes(first.blobKey);
    expect(await sweep()).toBe(false);
    await other.delete(first.accountId, first.id, 1_000);
    expect(await sweep()).toBe(false);
    await other.delete(second.accountId, second.id, 1_000);
    // Still claimed.
    expect(await sweep(1_999)).toBe(false);
    expect(await sweep()).toBe(true);
    // Until it is forgotten it is told again, and no file gets it.
    expect(await sweep()).toBe(true);
    expect(await insert(first)).toBe("swept");
    const again = await claimed({}, "shared");
    expect(again.blobKey).not.toBe(first.blobKey);
    expect(await insert(again)).toBe("inserted");
    await store.forgetBlob(first.blobKey);
    await store.forgetBlob(again.blobKey);
    expect(await sweep()).toBe(false);
    expect(await insert(await claimed({}, "shared"))).toBe("inserted");
  });

  test("a claimed blob is found by its digest until its claim ends", async () => {
    const { blobKey } = await claimed({}, "linked");
    const { other } = stores();
    const sha256 = sha256Of("linked");
    expect(await other.findClaimed(sha256, 1_999)).toBe(blobKey);
    expect(await other.findClaimed(sha256, 2_000)).toBeNull();
    expect(await other.findClaimed(sha256Of("unknown"), 1_000)).toBeNull();
  });

  test("files and sweeps at once leave no file without its blob", async () => {
    const { store, other } = stores();
    let swept = 0;
    for (let round = 0; round < 25; round++) {
      const files: StoredFile[] = [];
      for (let index = 0; index < 4; index++) files.push(await claimed({}, `raced ${round % 3}`));
      const kept: StoredFile[] = [];
      const add = async (file: StoredFile) => {
        const outcome = await store.insert(file, unbounded, 1_000);
        if (outcome === "inserted") kept.push(file);
        else swept++;
      };
      const given: string[] = [];
      const sweep = async () => void given.push(...(await other.giveUpBlobs(hour, 10_000)));
      await Promise.all([add(files[0] ?? fail()), sweep(), add(files[1] ?? fail()), sweep(), add(files[2] ?? fail())]);
      expect(kept.filter(({ blobKey }) => given.includes(blobKey))).toEqual([]);
      for (const key of given) await other.forgetBlob(key);
      for (const { accountId, id } of kept) await store.delete(accountId, id, 1_000);
    }
    expect(swept).toBeLessThan(75);
  });

  test("expired files are deleted in batches, and nothing else", async () => {
    const { store } = stores();
    while ((await store.deleteExpired(900, 10)) > 0);
    const accountId = `expiring${++last}`;
    for (let index = 0; index < 5; index++)
      await insert(await claimed({ accountId, expiresAt: 300 + index }), unbounded, 0);
    const alive = await claimed({ accountId, expiresAt: 950 });
    await insert(alive, unbounded, 0);
    expect([
      await store.deleteExpired(900, 3),
      await store.deleteExpired(900, 3),
      await store.deleteExpired(900, 3),
    ]).toEqual([3, 2, 0]);
    expect(await store.list({ accountId, purpose: null, after: null, order: "asc", limit: 10 }, 0)).toEqual([alive]);
  });
}

function fail(): never {
  throw new Error("There are four files.");
}
