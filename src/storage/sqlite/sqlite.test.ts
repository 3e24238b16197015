import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { failureOf } from "../../records/failure-of.testkit.ts";
import { exampleRecord, insertRecords } from "../../records/example-record.testkit.ts";
import { Kysely, SqliteDialect } from "kysely";
import { storageContract } from "../contracts/contract.testkit.ts";
import { renewQuery } from "../queries/idempotency-queries.ts";
import { openStorage } from "../open-storage.ts";
import { conversationQuery } from "../queries/response-queries.ts";
import type { Tables } from "../schema.ts";
import { asKyselyDatabase } from "./kysely-database.ts";
import { tester } from "../../changes/actor.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-sqlite-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

storageContract("SQLite", () => `sqlite:${join(folder, "contract.db")}`);

describe("SQLite", () => {
  test("makes the folder, and a database in memory needs none", async () => {
    const path = join(folder, "new", "deep", "tollgate.db");
    const storage = await openStorage(`sqlite:${path}`);
    await storage.close();
    expect(existsSync(path)).toBe(true);
    const inMemory = await openStorage("sqlite::memory:");
    expect(await inMemory.prices.changes()).toEqual([]);
    await inMemory.close();
  });

  test("a file that is no database is refused by name", async () => {
    const path = join(folder, "text.db");
    await Bun.write(path, "this is no database, and it is long enough to have a header of its own".repeat(20));
    expect(await failureOf(openStorage(`sqlite:${path}`))).toMatchObject({
      code: "unreachable",
      message: expect.stringContaining(path),
    });
  });

  test("another process's change of a key is seen in the next turn of the event loop", async () => {
    const url = `sqlite:${join(folder, "keys.db")}`;
    const [storage, other] = [await openStorage(url), await openStorage(url)];
    const key = {
      id: "key0000001",
      name: "n",
      secretHash: "h",
      previousSecretHash: null,
      previousExpiresAt: null,
      createdAt: 1,
      expiresAt: null,
      disabledAt: null,
      admin: false,
      accountId: "default",
      tags: {},
      scopes: { models: null, endpoints: null },
      limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
    };
    await storage.keys.insert(key, tester);
    for (let round = 1; round <= 50; round += 1) {
      expect(storage.keys.find(key.id)).toEqual({ ...key, disabledAt: round === 1 ? null : round - 1 });
      await other.keys.update(key.id, () => ({ disabledAt: round }), tester);
      await nextTurn();
      expect(storage.keys.find(key.id)).toEqual({ ...key, disabledAt: round });
    }
    await Promise.all([storage.close(), other.close()]);
  });

  test("a writer that holds the file makes a batch fail soon, and the next one works", async () => {
    const path = join(folder, "busy.db");
    const storage = await openStorage(`sqlite:${path}`);
    const writer = new Database(path);
    writer.run("begin immediate");
    const before = performance.now();
    expect(() => insertRecords(storage.records, [exampleRecord()])).toThrow("locked");
    expect(performance.now() - before).toBeLessThan(2_000);
    expect(() => insertRecords(storage.records, [])).toThrow("locked");
    writer.run("commit");
    const record = exampleRecord();
    await insertRecords(storage.records, [record]);
    expect(await storage.records.find(record.keyId, record.id)).toEqual(record);
    writer.close();
    await storage.close();
  });

  test("lookups read indexes only", async () => {
    const path = join(folder, "plans.db");
    await (await openStorage(`sqlite:${path}`)).close();
    const database = new Database(path);
    const plan = (query: string) =>
      database
        .query<{ detail: string }, []>(`explain query plan ${query}`)
        .all()
        .map((step) => step.detail)
        .join("; ");
    expect(plan("select * from requests where id = 'a' and key_id = 'b'")).toMatch(/^SEARCH requests USING INDEX/);
    expect(plan("select * from requests where sequence = 1 and key_id = 'a' and response_id = 'x'")).toMatch(
      /^SEARCH requests USING INTEGER PRIMARY KEY/,
    );
    const stretches = "with recursive s (code) as (select 1 union all select code + 1 from s where code < 9)";
    expect(
      plan(`${stretches} select found.sequence from s cross join request_responses as found on found.code = s.code`),
    ).toEndWith("SCAN s; SEARCH found USING PRIMARY KEY (code=?)");
    database.close();
  });

  test("a conversation is walked by the index of ids alone", async () => {
    const path = join(folder, "conversation-plan.db");
    await (await openStorage(`sqlite:${path}`)).close();
    const database = new Database(path);
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(database) }) });
    const query = conversationQuery("key0000001", "resp_1", 0, 1).compile(db).sql;
    const steps = database.query<{ detail: string }, []>(`explain query plan ${query}`).all();
    const searches = steps
      .map(({ detail }) => detail)
      .filter((detail) => /^(SEARCH|SCAN) (responses|older)/.test(detail));
    expect(searches).toHaveLength(3);
    for (const search of searches) expect(search).toEndWith("(key_id=? AND id=?)");
    database.close();
  });

  test("claims are renewed by their keys, not by reading all there are", async () => {
    const path = join(folder, "renew-plan.db");
    await (await openStorage(`sqlite:${path}`)).close();
    const database = new Database(path);
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: asKyselyDatabase(database) }) });
    const claim = { keyId: "key0000001", idempotencyKey: "order-1", requestId: "req_1" };
    const query = renewQuery([claim, claim], 1).compile(db).sql;
    const steps = database.query<{ detail: string }, []>(`explain query plan ${query}`).all();
    expect(steps[0]?.detail).toEndWith("(key_id=? AND idempotency_key=?)");
    database.close();
  });

  test("a response id is found in the oldest of many stretches of the index", async () => {
    const storage = await openStorage("sqlite::memory:");
    const first = exampleRecord({ responseId: "chatcmpl-the-first-of-all" });
    await insertRecords(storage.records, [first]);
    const filler = Array.from({ length: 150_000 }, () => exampleRecord({ responseId: null }));
    await insertRecords(storage.records, filler);
    expect(await storage.records.find(first.keyId, "chatcmpl-the-first-of-all")).toEqual(first);
    expect(await storage.records.find(first.keyId, "chatcmpl-of-nobody-at-all")).toBeNull();
    await storage.close();
  });
});
