import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { failureOf } from "../../records/failure-of.testkit.ts";
import { Client } from "pg";
import { exampleRecord, insertRecords } from "../../records/example-record.testkit.ts";
import { storageContract } from "../contracts/contract.testkit.ts";
import { openStorage } from "../open-storage.ts";
import { createTestDatabase, execute } from "./test-database.testkit.ts";

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
}, 120_000);
afterAll(async () => {
  await database.drop();
});

storageContract("Postgres", () => database.url);

describe("Postgres", () => {
  test("a lost connection is replaced, and no stale key is trusted meanwhile", async () => {
    const storage = await openStorage(database.url);
    await execute(
      database.url,
      "insert into keys (id, name, secret_hash, created_at, admin) values ('lost000001', 'before', 'h', 1, 0)",
    );
    expect((await storage.keys.find("lost000001"))?.name).toBe("before");
    for (const name of ["first", "second", "third"]) {
      await execute(
        database.url,
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
      );
      await execute(database.url, `update keys set name = '${name}' where id = 'lost000001'`);
      const found = async () => (await storage.keys.find("lost000001"))?.name;
      let answer = await found().catch(() => undefined);
      const deadline = performance.now() + 5_000;
      while (answer !== name && performance.now() < deadline) {
        await Bun.sleep(5);
        answer = await found().catch(() => undefined);
      }
      expect(answer).toBe(name);
    }
    const record = exampleRecord();
    await insertRecords(storage.records, [record]);
    expect(await storage.records.find(record.keyId, record.id)).toEqual(record);
    await storage.close();
  });

  test("a table that is locked makes a batch fail within the time allowed", async () => {
    const storage = await openStorage(database.url);
    const locker = new Client({ connectionString: database.url });
    await locker.connect();
    await locker.query("begin; lock table requests");
    const before = performance.now();
    const inserting = (async () => insertRecords(storage.records, [exampleRecord()]))();
    expect(await failureOf(inserting)).toMatchObject({ message: expect.stringContaining("timeout") });
    expect(performance.now() - before).toBeLessThan(10_000);
    await locker.end();
    await storage.close();
  }, 15_000);

  test("lookups read indexes only", async () => {
    const storage = await openStorage(database.url);
    // Enough rows for Postgres to have an opinion.
    for (let batch = 0; batch < 8; batch += 1) {
      await insertRecords(
        storage.records,
        Array.from({ length: 500 }, (_, index) => exampleRecord({ responseId: `chatcmpl-${batch}-${index}` })),
      );
    }
    await storage.close();
    await execute(database.url, "analyze requests");
    const steps = async (query: string) =>
      JSON.stringify(await execute(`${database.url}?options=-c%20enable_seqscan%3Doff`, `explain ${query}`));
    expect(await steps("select * from requests where key_id = 'a' and id = 'b'")).toContain(
      "Index Scan using requests_",
    );
    expect(
      await steps("select * from requests where key_id = 'k123456789' and response_id = 'x' order by id desc limit 1"),
    ).toContain("Index Scan Backward using requests_by_response");
    expect(
      await steps("select * from requests where key_id = 'k123456789' and id < 'x' order by id desc limit 51"),
    ).toContain("Index Scan Backward using requests_");
  });

  test("an unreachable server is named without its password", async () => {
    const opening = openStorage("postgres://someone:very-secret@127.0.0.1:1/nothing");
    expect(await failureOf(opening)).toMatchObject({
      code: "unreachable",
      message: expect.stringContaining("postgres://someone@127.0.0.1:1/nothing"),
    });
    await opening.catch((error: unknown) => expect(Bun.inspect(error)).not.toContain("very-secret"));
  });
});
