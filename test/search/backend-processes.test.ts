import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "../../src/access/manage.ts";
import { tester } from "../../src/changes/actor.testkit.ts";
import { systemClock } from "../../src/clock.ts";
import { startSandbox, type Sandbox } from "../../src/sandbox/server.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import { startTestGateway } from "../gateway.testkit.ts";
import { freePort, type GatewayProcess, startProcess } from "../process.testkit.ts";
import { until } from "../until.testkit.ts";
import { searchAt } from "./search.testkit.ts";

/** Stored search backends across processes, kills and keys. */

const secret = "tvly-very-secret-key-of-a-process-4711";
const key = "the secret key of two processes, long enough";

describe("processes that share a Postgres", () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let sandbox: Sandbox;
  let admin: string;
  const folder = mkdtempSync(join(tmpdir(), "tollgate-backends-"));
  const started: GatewayProcess[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    sandbox = await startSandbox();
    const storage = await openStorage(database.url);
    const limits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };
    const settings = { name: "t", scopes: { models: null, endpoints: null }, limits, expiresAt: null, admin: true };
    admin = (await createKey(storage.keys, settings, systemClock, tester)).key;
    await storage.close();
  }, 60_000);
  afterAll(async () => {
    for (const gateway of started) gateway.kill("SIGKILL");
    await Promise.all(started.map(({ exited }) => exited));
    await sandbox.stop();
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts a gateway in a folder of its own. */
  async function start(name: string, environment: Readonly<Record<string, string>>): Promise<GatewayProcess> {
    const own = join(folder, name);
    mkdirSync(own, { recursive: true });
    const port = await freePort();
    const file = join(own, "tollgate.yaml");
    writeFileSync(
      file,
      `server: { port: ${port} }\nstorage: { url: "${database.url}", journal_dir: ./journal }\n` +
        `sandbox: { enabled: false }\nsearch: { backends: [] }\n`,
    );
    const gateway = await startProcess(file, port, own, environment);
    started.push(gateway);
    return gateway;
  }
  const send = async ({ url }: GatewayProcess, method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${admin}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const searches = (gateway: GatewayProcess) =>
    send(gateway, "POST", "/v1/search", { query: "coffee", backend: "main" });
  const knows = (gateway: GatewayProcess) =>
    until("the process to know the backend", async () => (await searches(gateway)).status === 200);

  test("a change that was answered survives a kill, and reaches the other processes", async () => {
    const sealed = { TOLLGATE_SECRET_KEY: key };
    const [one, other, stranger] = [
      await start("one", sealed),
      await start("other", sealed),
      await start("stranger", {}),
    ];
    const fields = { id: "main", provider: "tavily", api_key: secret, base_url: `${sandbox.url}/search/tavily@main` };
    const created = await send(one, "POST", "/api/admin/search-backends", fields);
    one.kill("SIGKILL");
    expect(created).toMatchObject({ status: 201, text: expect.stringContaining('"has_api_key":true') });
    await one.exited;
    await knows(other);
    expect(sandbox.requests.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);

    const again = await start("one", sealed);
    expect((await searches(again)).status).toBe(200);
    expect((await send(again, "PATCH", "/api/admin/search-backends/main", { enabled: false })).status).toBe(200);
    await until("the other process to know the change", async () => (await searches(other)).status === 404);
    expect((await send(other, "PATCH", "/api/admin/search-backends/main", { enabled: true })).status).toBe(200);
    await knows(again);

    // It has a key of its own, in a file that it made at its first start.
    const file = readFileSync(join(folder, "stranger", "data", "secret.key"), "utf8");
    const shown = async () => (await send(stranger, "GET", "/api/admin/search-backends/main")).text;
    await until("the third process to read it", async () => (await shown()).includes("TOLLGATE_SECRET_KEY"));
    expect(JSON.parse(await shown())).toMatchObject({ has_api_key: true, health: { status: "unhealthy" } });
    expect((await searches(stranger)).status).toBe(503);
    expect(stranger.output()).toContain("set TOLLGATE_SECRET_KEY to the key that sealed it");
    for (const { output } of started) {
      for (const hidden of [secret, key, file.trim()]) expect(output()).not.toContain(hidden);
    }
  }, 60_000);

  test("a key that is too short is refused by name", async () => {
    const failed = await start("short", { TOLLGATE_SECRET_KEY: "short" }).then(
      () => null,
      (error: unknown) => String(error),
    );
    expect(failed).toContain("TOLLGATE_SECRET_KEY: found a string of 5 characters");
  });
});

test("a gateway with another key starts, serves, and opens again with the earlier key, which a change replaces", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-rotation-"));
  const [first, second] = ["the first key, which is long enough", "the second key, which is long enough"];
  let adminKey = "";
  /** Starts a gateway with these keys, runs `use` and stops it. */
  async function withKeys(
    keys: { key: string; previousKey?: string },
    use: (send: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>) => Promise<void>,
  ): Promise<void> {
    const gateway = await startTestGateway({ folder, secretKeys: keys });
    if (adminKey === "") ({ key: adminKey } = await gateway.newKey({ admin: true }));
    const base_url = `${gateway.sandbox.url}/search/tavily`;
    try {
      await use(async (method, path, body) => {
        const response = await gateway.fetch(path, {
          method,
          headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
          ...(body && { body: JSON.stringify(path === "/api/admin/search-backends" ? { ...body, base_url } : body) }),
        });
        return (await response.json()) as Record<string, unknown>;
      });
      expect((await gateway.chat()).status).toBe(200);
      expect((await searchAt(gateway, { backend: "sandbox-search" })).status).toBe(200);
    } finally {
      await gateway.stop();
    }
  }
  const path = "/api/admin/search-backends/main";
  const open = { problem: null, health: { status: "healthy" } };
  const closed = { problem: expect.stringContaining("another key"), health: { status: "unhealthy" } };

  await withKeys({ key: first }, async (send) => {
    const created = await send("POST", "/api/admin/search-backends", {
      id: "main",
      provider: "tavily",
      api_key: secret,
    });
    expect(created).toMatchObject(open);
  });
  await withKeys({ key: second }, async (send) => {
    expect(await send("GET", path)).toMatchObject(closed);
    // Other fields can be changed all the same, and the key stays as it is.
    expect(await send("PATCH", path, { priority: 2 })).toMatchObject({ ...closed, priority: 2 });
  });
  await withKeys({ key: second, previousKey: first }, async (send) => {
    expect(await send("GET", path)).toMatchObject({ ...open, api_key_hint: "...4711" });
    expect(await send("PATCH", path, { priority: 3 })).toMatchObject(open);
  });
  await withKeys({ key: second }, async (send) => {
    expect(await send("GET", path)).toMatchObject({ ...open, api_key_hint: "...4711", priority: 3 });
  });
  rmSync(folder, { recursive: true, force: true });
}, 60_000);
