import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI, { NotFoundError } from "openai";
import { parseEvents } from "../../src/dialects/openai-responses/stream/validate-events.testkit.ts";
import { failureOf } from "../../src/records/failure-of.testkit.ts";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../gateway.testkit.ts";

/** Stored responses over time: expiry, restart, and an unavailable storage. */

const chat = "sandbox-chat";
const options: TestGatewayOptions = {
  providers: (url) => [{ id: "google", dialects: ["gemini"], baseUrl: url.replace(/\/v1$/, "") }],
  models: [{ id: "google", targets: [{ provider: "google", model: chat }] }],
};

function clientOf({ url, key }: Pick<TestGateway, "url" | "key">): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

test("a conversation expires some time after its last answer", async () => {
  const clock = createTestClock();
  const day = 24 * 3_600_000;
  const aging = await startTestGateway({ ...options, clock });
  try {
    const own = clientOf(aging);
    const first = await own.responses.create({ model: chat, input: "One" });
    clock.advance(29 * day);
    const second = await own.responses.create({ model: chat, input: "Two", previous_response_id: first.id });
    clock.advance(29 * day);
    expect((await own.responses.retrieve(first.id)).id).toBe(first.id);
    clock.advance(2 * day);
    for (const { id } of [first, second]) {
      expect(await failureOf(own.responses.retrieve(id))).toBeInstanceOf(NotFoundError);
    }
    const third = own.responses.create({ model: chat, input: "Three", previous_response_id: second.id });
    expect(await failureOf(third)).toMatchObject({ code: "previous_response_not_found" });
  } finally {
    await aging.stop();
  }
});

describe("after a restart", () => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-responses-"));
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  beforeAll(async () => {
    database = await createTestDatabase();
  }, 120_000);
  afterAll(async () => {
    await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test.each(["sqlite", "postgres"])("responses are still there, on %s", async (kind) => {
    const where = { ...options, folder, ...(kind === "postgres" ? { storageUrl: database.url } : {}) };
    const before = await startTestGateway(where);
    const first = await clientOf(before).responses.create({ model: chat, input: "The word is mango." });
    await before.stop();
    const after = await startTestGateway(where);
    try {
      const own = clientOf({ url: after.url, key: before.key });
      expect(await own.responses.retrieve(first.id)).toEqual(first);
      await own.responses.create({ model: "google", input: "Which word?", previous_response_id: first.id });
      const up = new TextDecoder().decode(after.sandbox.requests.at(-1)?.body);
      expect(up).toContain("The word is mango.");
      await own.responses.delete(first.id);
      expect(await failureOf(own.responses.retrieve(first.id))).toBeInstanceOf(NotFoundError);
    } finally {
      await after.stop();
    }
  });
});

test("while the storage is unavailable: 503, free of charge, and soon without a provider call", async () => {
  const gateway = await startTestGateway(options);
  const other = new Database(join(gateway.folder, "tollgate.db"));
  try {
    const ask = (body: object) =>
      gateway.fetch("/v1/responses", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ model: chat, input: "Hello", ...body }),
      });
    const away = { type: "overloaded_error", code: "storage_unavailable" };
    other.run("begin immediate");

    // In pieces, so that its beginning has been sent before it turns out that it cannot be stored.
    const input = `Hello [[sandbox: ${JSON.stringify({ chunks: 4, chunk_delay_ms: 20 })}]]`;
    const streamed = await ask({ stream: true, input });
    const events = parseEvents(await streamed.text());
    expect(events.map((event) => event["sequence_number"])).toEqual(events.map((_, index) => index));
    expect(events.at(-2)).toMatchObject({ type: "error", error: away });
    expect(events.at(-1)).toMatchObject({ type: "response.failed" });
    const record = await gateway.record(streamed.headers.get("x-service-request-id"));
    expect(record).toMatchObject({ status: "failed", billing: { amount_microusd: 0 } });

    const calls = gateway.sandbox.requests.length;
    const refused = await ask({});
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("5");
    expect(await refused.json()).toMatchObject({ error: away });
    expect(gateway.sandbox.requests).toHaveLength(calls);
    expect((await ask({ store: false })).status).toBe(200);

    other.run("rollback");
    const deadline = performance.now() + 10_000;
    while ((await ask({})).status !== 200) {
      if (performance.now() > deadline) throw new Error("The storage is back, but requests still fail.");
      await Bun.sleep(20);
    }
  } finally {
    other.close();
    await gateway.stop();
  }
});
