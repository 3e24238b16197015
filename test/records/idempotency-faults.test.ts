import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import { createTestClock } from "../clock.testkit.ts";
import { startDialectGateway } from "../dialects/gateway.testkit.ts";
import { requestIdOf } from "../dialects/post.testkit.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../gateway.testkit.ts";
import { conflictOf, sendWithKey } from "./idempotency.testkit.ts";
import { createInstallation } from "../installation.testkit.ts";
import { createOutage } from "../storage/outage.testkit.ts";
import { until } from "../until.testkit.ts";

/** Idempotency over time, without the storage, and after a crash. */

const cleanUps: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

async function start(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const gateway = await startDialectGateway(options);
  cleanUps.push(() => gateway.stop());
  return gateway;
}

test("a key is remembered for 24 hours", async () => {
  const clock = createTestClock();
  const gateway = await start({ clock });
  const first = await sendWithKey(gateway, "order");
  clock.advance(24 * 3_600_000 - 60_000);
  expect(requestIdOf(await sendWithKey(gateway, "order"))).toBe(requestIdOf(first));
  clock.advance(120_000);
  const second = await sendWithKey(gateway, "order", { prompt: "Something else" });
  expect(second.status).toBe(200);
  expect(requestIdOf(second)).not.toBe(requestIdOf(first));
  expect(gateway.sandbox.requests.length).toBe(2);
});

test("while SQLite is locked no request runs without a claim, and an answer from the journal is replayed", async () => {
  const gateway = await start();
  const ask = () => sendWithKey(gateway, "order", { script: { latency_ms: 200 } });
  const asked = ask();
  await gateway.sandbox.waitFor((requests) => requests.length === 1);
  const other = new Database(join(gateway.folder, "tollgate.db"));
  cleanUps.push(() => other.close());
  other.run("PRAGMA busy_timeout = 2000");
  other.run("BEGIN IMMEDIATE");
  const first = await asked;
  const text = await first.text();
  expect(first.status).toBe(200);
  const refused = await sendWithKey(gateway, "another");
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(await refused.json()).toMatchObject({ error: { type: "overloaded_error", code: "storage_unavailable" } });
  expect((await ask()).status).toBe(503);
  expect(gateway.sandbox.requests.length).toBe(1);

  other.run("ROLLBACK");
  let again = await ask();
  await until("the first answer", async () => {
    if (again.status !== 200) again = await ask();
    return again.status === 200;
  });
  expect(requestIdOf(again)).toBe(requestIdOf(first));
  expect(await again.text()).toBe(text);
  expect(gateway.sandbox.requests.length).toBe(1);
});

test("two gateways on one Postgres share keys, and without Postgres no request runs", async () => {
  const database = await createTestDatabase();
  cleanUps.push(() => database.drop());
  const outage = await createOutage(database.url);
  cleanUps.push(() => outage.close());
  const cutOff = await start({ storageUrl: outage.url });
  const other = await start({ storageUrl: database.url });
  const ask = (to: TestGateway, key = "order") => sendWithKey(to, key, { by: cutOff.key, script: { latency_ms: 150 } });
  const calls = () => cutOff.sandbox.requests.length + other.sandbox.requests.length;

  const responses = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index % 2 === 0 ? cutOff : other)));
  // The others are conflicts, or replays if they come late.
  const answered = responses.filter(({ status }) => status === 200);
  expect(new Set(answered.map(requestIdOf)).size).toBe(1);
  const text = await answered[0]?.text();
  // A database that took longer than 3 s for the record, as on a busy machine, has it a moment later: from the journal.
  for (const to of [cutOff, other]) {
    await until("the first answer", async () => (await (await ask(to)).text()) === (text ?? "none"));
  }
  expect(calls()).toBe(1);

  await outage.cut();
  for (const key of ["order", "another"]) {
    const response = await ask(cutOff, key);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ error: { code: "storage_unavailable" } });
  }
  expect(calls()).toBe(1);
  await outage.restore();
  await until("the first answer", async () => {
    const response = await ask(cutOff);
    return (await response.text()) === text;
  });
  expect(calls()).toBe(1);
});

test("after a crash the request can run again when its lease of a minute has expired", async () => {
  const installation = await createInstallation();
  cleanUps.push(() => installation.remove());
  installation.sandbox.setModel("sandbox-chat", { fault: { kind: "stall", at: "headers" } });
  const killed = await installation.start();
  const headers = {
    authorization: `Bearer ${installation.key}`,
    "content-type": "application/json",
    "idempotency-key": "order",
  };
  const asked = installation.chat({}, { headers }).catch(() => null);
  await installation.sandbox.waitFor((requests) => requests.length === 1);
  killed.kill("SIGKILL");
  await Promise.all([killed.exited, asked]);

  const clock = createTestClock();
  const next = await startTestGateway({
    clock,
    folder: installation.folder,
    models: [{ id: "plain", targets: [{ provider: "sandbox", model: "sandbox-chat" }] }],
  });
  cleanUps.push(() => next.stop());
  const ask = () => next.chat({ model: "plain", messages: [{ role: "user", content: "Hello!" }] }, { headers });
  expect(await conflictOf(await ask())).toContain("still running");
  clock.advance(61_000);
  const first = await ask();
  expect(first.status).toBe(200);
  expect(requestIdOf(await ask())).toBe(requestIdOf(first));
  expect(next.sandbox.requests.length).toBe(1);
});
