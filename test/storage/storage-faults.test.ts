import { Database } from "bun:sqlite";
import { afterEach, describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createTestDatabase, execute } from "../../src/storage/postgres/test-database.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { createInstallation } from "../installation.testkit.ts";
import { createOutage } from "./outage.testkit.ts";
import { until } from "../until.testkit.ts";

/** The storage fails while the gateway runs: requests are served, and no record is lost or duplicated. */

const cleanUps: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

const requestId = (response: Response) => response.headers.get("x-service-request-id") ?? "";

/** Sends requests, half of them streaming, and returns the ids of the complete answers. */
async function askWhole(gateway: Pick<TestGateway, "chat">, times: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: times }, async (_, index) => {
      const stream = index % 2 === 0;
      const response = await gateway.chat({ stream });
      const text = await response.text();
      expect(response.status).toBe(200);
      if (stream) expect(text).toEndWith("data: [DONE]\n\n");
      return requestId(response);
    }),
  );
}

async function readiness({ url }: { readonly url: string }): Promise<object> {
  const response = await fetch(`${url}/readyz`);
  return { http: response.status, ...((await response.json()) as object) };
}

const ready = { http: 200, status: "ready" };
const storageError = { error: { type: "overloaded_error", code: "storage_unavailable" } };

describe("SQLite", () => {
  /** Holds a write lock on the file until released. */
  function lock(file: string): { release(): void } {
    const other = new Database(file);
    other.run("PRAGMA busy_timeout = 2000");
    other.run("BEGIN IMMEDIATE");
    let held = true;
    const release = () => {
      if (held) other.run("ROLLBACK");
      held = false;
    };
    cleanUps.push(() => {
      release();
      other.close();
    });
    return { release };
  }

  async function start(options: Parameters<typeof startTestGateway>[0] = {}): Promise<TestGateway> {
    const gateway = await startTestGateway(options);
    cleanUps.push(() => gateway.stop());
    return gateway;
  }

  const fileOf = ({ folder }: { readonly folder: string }) => join(folder, "tollgate.db");
  /** Lines in the journal's files. */
  const journalled = ({ folder }: { readonly folder: string }) =>
    readdirSync(join(folder, "journal"))
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => readFileSync(join(folder, "journal", name)).filter((byte) => byte === 10).length)
      .reduce((sum, lines) => sum + lines, 0);

  function countOf(gateway: { readonly folder: string }): { rows: number; ids: number } | null {
    const database = new Database(fileOf(gateway), { readonly: true });
    const row = database
      .query<{ rows: number; ids: number }, []>("SELECT count(*) AS rows, count(DISTINCT id) AS ids FROM requests")
      .get();
    database.close();
    return row;
  }

  test("a write lock of two seconds loses no record and delays requests only briefly", async () => {
    const gateway = await start();
    await askWhole(gateway, 4);
    const held = lock(fileOf(gateway));
    let maxMs = 0;
    let last = performance.now();
    const pulse = setInterval(() => {
      maxMs = Math.max(maxMs, performance.now() - last);
      last = performance.now();
    }, 1);
    const lockedUntil = performance.now() + 2_000;
    const ids: string[] = [];
    while (performance.now() < lockedUntil) {
      const made = await askWhole(gateway, 8);
      for (const id of made) expect(await gateway.record(id)).toMatchObject({ id, status: "succeeded" });
      ids.push(...made);
    }
    held.release();
    await until("all records", () => countOf(gateway)?.rows === ids.length + 4);
    clearInterval(pulse);
    expect(maxMs).toBeLessThan(300);
    expect(ids.length).toBeGreaterThan(15);
    for (const id of ids) expect(await gateway.record(id)).toMatchObject({ id, status: "succeeded" });
    expect(countOf(gateway)).toEqual({ rows: ids.length + 4, ids: ids.length + 4 });
  });

  test("a full journal: 503 before a provider is called, until the storage is back", async () => {
    const gateway = await start({ journalMaxBytes: 65_536 });
    const held = lock(fileOf(gateway));
    const ids: string[] = [];
    let refusal: Response;
    for (;;) {
      refusal = await gateway.chat();
      if (refusal.status !== 200) break;
      await refusal.arrayBuffer();
      ids.push(requestId(refusal));
    }
    expect(ids.length).toBeWithin(4, 200);
    const called = gateway.sandbox.requests.length;
    expect(refusal.status).toBe(503);
    expect(refusal.headers.get("retry-after")).toBe("5");
    expect(await refusal.json()).toMatchObject(storageError);
    expect((await gateway.chat({ stream: true })).status).toBe(503);
    expect(gateway.sandbox.requests.length).toBe(called);
    expect(called).toBe(ids.length);
    expect(await readiness(gateway)).toMatchObject({ http: 503, status: "not_ready", storage: "unavailable" });
    for (const id of ids) expect(await gateway.record(id)).toMatchObject({ id });

    held.release();
    await until("an answer", async () => (await gateway.chat()).status === 200);
    await until("all records", () => countOf(gateway)?.rows === ids.length + 1);
    expect(await readiness(gateway)).toMatchObject({ storage: "ok" });
    for (const id of ids) expect(await gateway.record(id)).toMatchObject({ id });
    expect(countOf(gateway)).toEqual({ rows: ids.length + 1, ids: ids.length + 1 });
  });

  test("a record that the database refuses is found meanwhile, and tried again; the others are not held up", async () => {
    const gateway = await start();
    const change = (statement: string) => {
      const database = new Database(fileOf(gateway));
      database.run("PRAGMA busy_timeout = 2000");
      database.run(statement);
      database.close();
    };
    change(
      "create trigger refuse before insert on requests when new.model = 'sandbox-reasoning' " +
        "begin select raise(abort, 'not this one'); end",
    );
    const refused = requestId(await gateway.chat({ model: "sandbox-reasoning" }));
    const others = await askWhole(gateway, 8);
    await until("the other records", () => countOf(gateway)?.rows === others.length);
    expect(await gateway.record(refused)).toMatchObject({ status: "succeeded" });
    change("drop trigger refuse");
    await until("the record", () => countOf(gateway)?.rows === others.length + 1);
    expect(await gateway.record(refused)).toMatchObject({ status: "succeeded" });
    const lines = gateway.log.filter(({ fields }) => fields["id"] === refused);
    expect(lines.map(({ level }) => level)).toEqual([...lines.slice(1).map(() => "warn"), "info"]);
  });

  test("a journal whose room is reserved by open requests: not ready, though the database answers", async () => {
    const gateway = await start({ journalMaxBytes: 65_536 });
    const leaving = new AbortController();
    const stalled = { stream: true, sandbox: { fault: { kind: "stall", at: "body", after: 1 } } };
    let open = 0;
    let refusal = await gateway.chat(stalled, { signal: leaving.signal });
    for (; refusal.status === 200; open++) refusal = await gateway.chat(stalled, { signal: leaving.signal });
    expect(open).toBeWithin(4, 64);
    expect(refusal.status).toBe(503);
    expect(await refusal.json()).toMatchObject(storageError);
    expect(await readiness(gateway)).toMatchObject({ http: 503, status: "not_ready", storage: "unavailable" });
    leaving.abort();
    await until("readiness", async () => (await fetch(`${gateway.url}/readyz`)).status === 200);
    expect(await readiness(gateway)).toMatchObject({ ...ready, storage: "ok" });
    expect((await gateway.chat()).status).toBe(200);
  });

  test("if neither the storage nor the journal accepts a record, no answer is completed", async () => {
    const gateway = await start();
    const journal = join(gateway.folder, "journal");
    const leaving = new AbortController();
    const left = await gateway.chat(
      { stream: true, sandbox: { fault: { kind: "stall", at: "body", after: 2 } } },
      { signal: leaving.signal },
    );
    const streams = [
      await gateway.chat({ stream: true, sandbox: { chunks: 2, chunk_delay_ms: 60 } }),
      await gateway.chat({ stream: true, sandbox: { chunk_delay_ms: 60, fault: { kind: "cut", after: 2 } } }),
    ];
    const asked = gateway.chat({ sandbox: { latency_ms: 80 } });
    await gateway.sandbox.waitFor((requests) => requests.length === 4);
    const held = lock(fileOf(gateway));
    rmSync(journal, { recursive: true });
    writeFileSync(journal, "in the way");

    for (const stream of streams) {
      const text = await stream.text();
      expect(text).not.toContain("[DONE]");
      expect(text).toContain('"error"');
    }
    const answer = await asked;
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject(storageError);
    leaving.abort();
    await left.text().catch(() => undefined);
    await gateway.sandbox.waitFor((requests) => requests.every(({ outcome }) => outcome !== "open"));

    expect((await gateway.chat()).status).toBe(503);
    expect(gateway.sandbox.requests.length).toBe(4);
    expect(await readiness(gateway)).toMatchObject({ http: 503, status: "not_ready", storage: "unavailable" });
    held.release();
    rmSync(journal);
    mkdirSync(journal);
    await until("an answer", async () => (await gateway.chat()).status === 200);
    // Each request that reached the provider leaves its record all the same, and nobody pays for an answer without its end.
    for (const response of [answer, ...streams]) {
      await until("its record", async () => {
        const looked = await gateway.fetch(`/api/usage/requests/${requestId(response)}`);
        return looked.status === 200 && (await looked.text()).includes('"failed"');
      });
      expect(await gateway.record(requestId(response))).toMatchObject({ billing: { amount_microusd: 0 } });
    }
    expect(await gateway.eventualRecord(requestId(left))).toMatchObject({ status: "cancelled" });
    await until("all records", () => (countOf(gateway)?.rows ?? 0) >= 5);
  });

  test("records in the journal of a killed gateway are imported at the next start", async () => {
    const installation = await createInstallation();
    cleanUps.push(() => installation.remove());
    const first = await installation.start();
    const held = lock(fileOf(installation));
    const ids = await askWhole(installation, 12);
    expect(journalled(installation)).toBe(ids.length);
    first.kill("SIGKILL");
    await first.exited;
    held.release();
    expect(countOf(installation)).toEqual({ rows: 0, ids: 0 });

    await installation.start();
    for (const id of ids) expect((await installation.look(id)).status).toBe(200);
    await until("all records", () => countOf(installation)?.rows === ids.length);
    for (const id of ids) expect((await installation.look(id)).status).toBe(200);
    expect(countOf(installation)).toEqual({ rows: ids.length, ids: ids.length });
  });
});

describe("Postgres", () => {
  async function makeOutage() {
    const database = await createTestDatabase();
    cleanUps.push(() => database.drop());
    const outage = await createOutage(database.url);
    cleanUps.push(() => outage.close());
    const rows = async () => {
      const [row] = await execute(
        database.url,
        "select count(*)::int as rows, count(distinct id)::int as ids from requests",
      );
      return row;
    };
    return { outage, rows };
  }

  async function start(storageUrl: string): Promise<TestGateway> {
    const gateway = await startTestGateway({ storageUrl });
    cleanUps.push(() => gateway.stop());
    return gateway;
  }

  test("if Postgres fails, requests are served, and all records are there once it is back", async () => {
    const { outage, rows } = await makeOutage();
    const gateway = await start(outage.url);
    const [stored = ""] = await askWhole(gateway, 4);
    expect(await gateway.record(stored)).toMatchObject({ id: stored });
    expect(await readiness(gateway)).toEqual({ ...ready, draining: false, storage: "ok" });
    const unseen = await gateway.newKey();

    await outage.cut();
    const ids = [...(await askWhole(gateway, 8)), ...(await askWhole(gateway, 8))];
    for (const id of ids) expect(await gateway.record(id)).toMatchObject({ id, status: "succeeded" });
    expect(await readiness(gateway)).toMatchObject({ ...ready, storage: "journalling" });
    const looked = await gateway.fetch(`/api/usage/requests/${stored}`);
    expect(looked.status).toBe(503);
    expect(await looked.json()).toMatchObject(storageError);
    const unknown = await gateway.chat({}, { headers: { authorization: `Bearer ${unseen.key}` } });
    expect(unknown.status).toBe(503);
    expect(await unknown.json()).toMatchObject(storageError);

    await outage.restore();
    await until("all records", async () => Number((await rows())?.rows) >= ids.length + 4);
    expect(await rows()).toEqual({ rows: ids.length + 4, ids: ids.length + 4 });
    await until(
      "a look at the storage",
      async () => (await gateway.fetch(`/api/usage/requests/${stored}`)).status === 200,
    );
    expect((await gateway.chat({}, { headers: { authorization: `Bearer ${unseen.key}` } })).status).toBe(200);
    expect(await readiness(gateway)).toMatchObject({ storage: "ok" });
  });

  test("if Postgres hangs, requests are delayed only briefly", async () => {
    const { outage, rows } = await makeOutage();
    const gateway = await start(outage.url);
    await askWhole(gateway, 2);
    outage.silence();
    const ids = await askWhole(gateway, 4);
    const startedAt = performance.now();
    for (let times = 0; times < 5; times++) ids.push(...(await askWhole(gateway, 4)));
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    for (const id of ids) expect(await gateway.record(id)).toMatchObject({ id, status: "succeeded" });
    expect(await readiness(gateway)).toMatchObject({ ...ready, storage: "journalling" });
    await outage.restore();
    await until("all records", async () => Number((await rows())?.rows) >= ids.length + 2);
    expect(await rows()).toEqual({ rows: ids.length + 2, ids: ids.length + 2 });
  });

  test("a gateway stops in time while Postgres hangs, and the next start imports its records", async () => {
    const { outage, rows } = await makeOutage();
    const installation = await createInstallation({ storageUrl: outage.url, server: "drain_ms: 500" });
    cleanUps.push(() => installation.remove());
    const first = await installation.start();
    const stored = await askWhole(installation, 2);
    outage.silence();
    const ids = await askWhole(installation, 6);
    const signalledAt = performance.now();
    first.kill("SIGTERM");
    expect(await first.exited).toBe(0);
    expect(performance.now() - signalledAt).toBeLessThan(10_000);

    await outage.restore();
    await installation.start();
    await until("all records", async () => Number((await rows())?.rows) >= 8);
    expect(await rows()).toEqual({ rows: 8, ids: 8 });
    for (const id of [...stored, ...ids]) expect((await installation.look(id)).status).toBe(200);
  });
});
