import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createTestDatabase, execute } from "../../src/storage/postgres/test-database.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The main scenario on Postgres, and two gateways that share one. */

let database: Awaited<ReturnType<typeof createTestDatabase>>;
let first: TestGateway;
let second: TestGateway;
beforeAll(async () => {
  database = await createTestDatabase();
  // Started concurrently: one of them creates the tables.
  [first, second] = await Promise.all([
    startTestGateway({ storageUrl: database.url }),
    startTestGateway({ storageUrl: database.url }),
  ]);
});
afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await database.drop();
});

const requestId = (response: Response) => response.headers.get("x-service-request-id") ?? "";
const by = (key: string): RequestInit => ({ headers: { authorization: `Bearer ${key}` } });

describe("the main scenario", () => {
  const script = { text: "Good day.", chunks: 3, tokens: { input: 1_000, cache_read: 400, output: 10 } };

  test.each([false, true])("a chat request (stream: %p) and its exact record", async (stream) => {
    const response = await first.chat({ stream, sandbox: script });
    expect(response.status).toBe(200);
    const text = await response.text();
    if (stream) expect(text).toEndWith("data: [DONE]\n\n");
    const responseId = /"id":"([^"]+)"/.exec(text)?.[1] ?? "";
    const record = await first.record(requestId(response));
    expect(record).toMatchObject({
      object: "usage.request",
      id: requestId(response),
      status: "succeeded",
      model: "sandbox-chat",
      endpoint: "/v1/chat/completions",
      stream,
      error: null,
      usage: {
        prompt_tokens: 1_000,
        completion_tokens: 10,
        total_tokens: 1_010,
        measurement: { input: "provider", output: "provider" },
      },
      // 600 at 0.25, 400 at 0.025 and 10 at 2.00 USD for a million.
      billing: { currency: "USD", amount_microusd: 150 + 10 + 20, pricing_version: 1, status: "charged" },
      routing: {
        requested_model: "sandbox-chat",
        resolved_model: "sandbox-chat",
        chose_provider: "sandbox",
        status_code: 200,
      },
    });
    expect(await first.record(responseId)).toEqual(record);
  });

  test("a failure is recorded free of charge", async () => {
    const response = await first.chat({ sandbox: { fault: { kind: "status", status: 500 } } });
    expect(response.status).toBe(502);
    expect(await first.record(requestId(response))).toMatchObject({
      status: "failed",
      error: { type: "upstream_error", code: "upstream_error" },
      billing: { amount_microusd: 0, status: "refunded", line_items: [] },
    });
  });

  test("text that Postgres cannot store does not lose the record", async () => {
    const response = await first.chat({
      sandbox: { id: "id\u0000with\u0000nul", usage: { prompt_tokens: 1, "odd\u0000name": "\ud800" } },
    });
    expect(response.status).toBe(200);
    expect(await first.record(requestId(response))).toMatchObject({ status: "succeeded" });
  });

  test("the catalog and its ETag", async () => {
    const catalog = await first.fetch("/api/models/catalog");
    const { data } = (await catalog.json()) as { data: { id: string; pricing_version: number }[] };
    expect(data.find(({ id }) => id === "sandbox-chat")).toMatchObject({ pricing_version: 1 });
    const etag = catalog.headers.get("etag") ?? "";
    expect((await second.fetch("/api/models/catalog", { headers: { "if-none-match": etag } })).status).toBe(304);
  });

  test("limits are exact", async () => {
    const { key } = await first.newKey({ limits: { requestsPerMinute: 10 } });
    const answers = await Promise.all(Array.from({ length: 25 }, () => first.chat({}, by(key))));
    expect(answers.filter(({ status }) => status === 200).length).toBe(10);
    const ids = answers.map(requestId);
    const known = await Promise.all(ids.map((id) => first.fetch(`/api/usage/requests/${id}`, by(key))));
    expect(known.filter(({ status }) => status === 200).length).toBe(10);
  });
});

describe("two gateways on one Postgres", () => {
  test("share one price list", async () => {
    const list = async (gateway: TestGateway) => (await gateway.fetch("/api/models/catalog")).json();
    expect(await list(first)).toEqual(await list(second));
    expect(await execute(database.url, "select version from price_changes")).toEqual([{ version: 1 }]);
  });

  test("a key created in one works at once in the other, until it is disabled", async () => {
    const { id, key } = await first.newKey();
    for (const gateway of [second, first]) expect((await gateway.chat({}, by(key))).status).toBe(200);
    await execute(database.url, `update keys set disabled_at = 1 where id = '${id}'`);
    const deadline = performance.now() + 1_000;
    for (const gateway of [first, second]) {
      let refusal = await gateway.chat({}, by(key));
      while (refusal.status === 200 && performance.now() < deadline) refusal = await gateway.chat({}, by(key));
      expect(refusal.status).toBe(401);
      expect(await refusal.json()).toMatchObject({ error: { code: "disabled_api_key" } });
    }
  });

  test("a record of one is found by the other right after the last byte", async () => {
    const { key } = await first.newKey();
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        const [maker, reader] = index % 4 < 2 ? [first, second] : [second, first];
        const response = await maker.chat({ stream: index % 2 === 0 }, by(key));
        await response.arrayBuffer();
        expect(await reader.record(requestId(response), key)).toMatchObject({ id: requestId(response) });
      }),
    );
  });

  test("connections that Postgres ends are replaced, and no record is lost", async () => {
    const { key } = await first.newKey();
    const ids: string[] = [];
    for (let times = 0; times < 3; times++) {
      const answers = [first, second, first, second].map((gateway) =>
        gateway.chat({ sandbox: { latency_ms: 30 } }, by(key)),
      );
      await execute(
        database.url,
        "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
      );
      for (const response of await Promise.all(answers)) {
        expect(response.status).toBe(200);
        ids.push(requestId(response));
      }
    }
    const list = ids.map((id) => `'${id}'`).join(", ");
    const deadline = performance.now() + 5_000;
    let found: unknown;
    do {
      [{ found } = { found: 0 }] = await execute(
        database.url,
        `select count(*)::int as found from requests where id in (${list})`,
      );
    } while (found !== ids.length && performance.now() < deadline);
    expect(found).toBe(ids.length);
  });
});
