import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { callers, messagesCaller } from "../dialects/callers.testkit.ts";
import { modelOf, startDialectGateway } from "../dialects/gateway.testkit.ts";
import { requestIdOf } from "../dialects/post.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { conflictOf, type Sending, sendWithKey, usualModel } from "./idempotency.testkit.ts";
import { until } from "../until.testkit.ts";

/** A request with an `Idempotency-Key` runs once and is charged once. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startDialectGateway();
});
afterAll(() => gateway.stop());

let lastKey = 0;
const newKey = () => `order-${++lastKey}`;

const send = (key: string, sending?: Sending) => sendWithKey(gateway, key, sending);

/** The records of an API key, read from the storage. */
function recordsOf(
  keyId: string,
): readonly { readonly id: string; readonly status: string; readonly amount: number }[] {
  const database = new Database(join(gateway.folder, "tollgate.db"), { readonly: true });
  const query = "SELECT id, status, amount_microusd AS amount FROM requests WHERE key_id = ? ORDER BY id";
  const rows = database.query<{ id: string; status: string; amount: number }, [string]>(query).all(keyId);
  database.close();
  return rows;
}

describe.each(callers.map((caller) => [caller.name, caller] as const))("%s", (_name, caller) => {
  test("a repetition returns the first answer byte for byte with its id, free of charge", async () => {
    const apiKey = await gateway.newKey();
    const sending = { caller, by: apiKey.key };
    const key = newKey();
    const first = await send(key, sending);
    const text = await first.text();
    expect(first.status).toBe(200);
    expect(first.headers.get("idempotent-replayed")).toBeNull();
    const called = gateway.sandbox.requests.length;

    const second = await send(key, sending);
    expect(second.status).toBe(200);
    expect(await second.text()).toBe(text);
    expect(second.headers.get("idempotent-replayed")).toBe("true");
    for (const name of ["x-service-request-id", caller.idHeader, "content-type"]) {
      expect(second.headers.get(name)).toBe(first.headers.get(name));
    }
    expect(gateway.sandbox.requests.length).toBe(called);
    const records = recordsOf(apiKey.id);
    expect(records).toMatchObject([{ id: requestIdOf(first), status: "succeeded" }]);
    expect(records[0]?.amount).toBeGreaterThan(0);
    expect(gateway.log.at(-1)).toMatchObject({
      message: "request replayed",
      fields: { replay_of: requestIdOf(first), key_id: apiKey.id, status_code: 200 },
    });
  });

  test("another body with the same key is a conflict, in the vendor's error format", async () => {
    const key = newKey();
    await (await send(key, { caller })).text();
    const called = gateway.sandbox.requests.length;
    const response = await send(key, { caller, prompt: "Something else" });
    expect(response.status).toBe(409);
    const requestId = requestIdOf(response);
    expect(response.headers.get(caller.idHeader)).toBe(requestId);
    const expected = { status: 409, code: "idempotency_conflict", param: "Idempotency-Key", requestId };
    const message = expect.stringContaining("different path or body");
    expect(await response.json()).toMatchObject(caller.envelope({ ...expected, message }));
    expect(gateway.sandbox.requests.length).toBe(called);
    const record = await gateway.record(requestId);
    expect(record).toMatchObject({ status: "refused", billing: { amount_microusd: 0 } });
  });
});

describe("a key", () => {
  test("lets one of fifty concurrent requests run, and replays its answer to the others afterwards", async () => {
    const apiKey = await gateway.newKey();
    const sending = { by: apiKey.key, script: { latency_ms: 300 } };
    const key = newKey();
    const called = gateway.sandbox.requests.length;
    const responses = await Promise.all(Array.from({ length: 50 }, () => send(key, sending)));
    const answered = responses.filter(({ status }) => status === 200);
    expect(answered).toHaveLength(1);
    const [first] = answered;
    const firstId = first ? requestIdOf(first) : "";
    for (const response of responses) {
      if (response !== first) expect(await conflictOf(response)).toContain(`${firstId}, is still running`);
    }
    const text = await first?.text();
    const replayed = await Promise.all(Array.from({ length: 10 }, () => send(key, sending)));
    for (const response of replayed) expect(await response.text()).toBe(text ?? "none");
    expect(gateway.sandbox.requests.length - called).toBe(1);
    const charged = recordsOf(apiKey.id).filter(({ amount }) => amount > 0);
    expect(charged.map(({ id }) => id)).toEqual([firstId]);
  });

  test("is separate for another API key, path or model in a Google URL", async () => {
    const apiKey = await gateway.newKey();
    const key = newKey();
    const [first, others] = [await send(key), await send(key, { by: apiKey.key })];
    expect([first.status, others.status]).toEqual([200, 200]);
    expect(requestIdOf(others)).not.toBe(requestIdOf(first));
    expect(
      await conflictOf(await gateway.fetch("/v1/embeddings", { method: "POST", headers: { "idempotency-key": key } })),
    ).toContain("different path or body");
    const geminiKey = newKey();
    const body = JSON.stringify({ contents: [{ parts: [{ text: "Hello!" }] }] });
    const ask = (query: string, name = usualModel) =>
      fetch(`${gateway.url}/v1beta/models/${name}:generateContent${query}`, {
        method: "POST",
        headers: { "idempotency-key": geminiKey },
        body,
      });
    expect((await ask(`?key=${gateway.key}`)).headers.get("idempotent-replayed")).toBeNull();
    expect((await ask(`?key=${gateway.key}`)).headers.get("idempotent-replayed")).toBe("true");
    expect((await ask(`?key=${gateway.key}`, modelOf("gemini"))).status).toBe(409);
    expect((await ask(`?alt=sse&key=${gateway.key}`)).status).toBe(409);
  });

  test.each(["", "two words", "x".repeat(256)])("that is invalid is rejected by name: %p", async (key) => {
    const response = await send(key);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: "invalid_parameter", param: "Idempotency-Key", message: expect.stringContaining("255") },
    });
    const messages = (await (await send(key, { caller: messagesCaller })).json()) as { error: { message: string } };
    expect(messages.error.message).toContain("Idempotency-Key");
  });

  test("is ignored by requests that are free of charge", async () => {
    for (const key of ["same", "same", "not a key"]) {
      const response = await gateway.fetch("/v1/messages/count_tokens", {
        method: "POST",
        headers: { "idempotency-key": key },
        body: JSON.stringify({ model: usualModel, messages: [{ role: "user", content: newKey() }] }),
      });
      expect(response.status).toBe(200);
    }
  });

  test("a repetition counts as a request, uses no tokens, and is not in flight afterwards", async () => {
    const limits = { requestsPerMinute: 3, tokensPerMinute: 10_000, concurrentRequests: 1 };
    const apiKey = await gateway.newKey({ limits });
    const key = newKey();
    const responses: Response[] = [];
    for (let times = 0; times < 4; times++) responses.push(await send(key, { by: apiKey.key }));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    const remaining = (name: string) => responses.map(({ headers }) => headers.get(`x-ratelimit-remaining-${name}`));
    expect(remaining("requests")).toEqual(["2", "1", "0", "0"]);
    const [, second, third] = remaining("tokens");
    expect(Number(second)).toBeWithin(1, 10_000);
    expect(third).toBe(second);
  });
});

describe("a stream", () => {
  test("conflicts with repetitions during and after it, and the error names its record", async () => {
    const apiKey = await gateway.newKey();
    const key = newKey();
    const sending = { stream: true, by: apiKey.key, script: { chunks: 3, chunk_delay_ms: 100 } };
    const first = await send(key, sending);
    expect(first.status).toBe(200);
    expect(await conflictOf(await send(key, sending))).toContain("still running");
    expect(await first.text()).toEndWith("data: [DONE]\n\n");
    const message = await conflictOf(await send(key, sending));
    expect(message).toContain("not stored");
    expect(message).toContain(`GET /api/usage/requests/${requestIdOf(first)}`);
    expect(recordsOf(apiKey.id).filter(({ amount }) => amount > 0)).toHaveLength(1);
  });

  test("whose caller disconnected was charged and does not run again", async () => {
    const key = newKey();
    const leaving = new AbortController();
    const sending = { stream: true, script: { fault: { kind: "stall", at: "body", after: 2 } } };
    const first = await send(key, { ...sending, signal: leaving.signal });
    const reader = first.body?.getReader();
    await reader?.read();
    leaving.abort();
    const record = await gateway.eventualRecord(requestIdOf(first));
    expect(record.status).toBe("cancelled");
    expect(record.billing.amount_microusd).toBeGreaterThan(0);
    expect(await conflictOf(await send(key, sending))).toContain("not stored");
  });
});

describe("the key is free again after", () => {
  test.each([
    ["a provider's fault", { fault: { kind: "status", status: 500, times: 1, key: "once" } }, false, 502],
    ["a stream that broke off", { fault: { kind: "cut", after: 2, times: 1, key: "twice" } }, true, 200],
  ])("%s", async (_what, script, stream, status) => {
    const key = newKey();
    const first = await send(key, { stream, script });
    expect(first.status).toBe(status);
    await first.text();
    const second = await send(key, { stream, script });
    expect(second.status).toBe(200);
    await second.text();
    expect(requestIdOf(second)).not.toBe(requestIdOf(first));
    expect(await gateway.record(requestIdOf(second))).toMatchObject({ status: "succeeded" });
  });

  test("a refused request, even for another body", async () => {
    const key = newKey();
    expect((await send(key, { model: "nobody" })).status).toBe(404);
    expect((await send(key, { model: "nobody" })).status).toBe(404);
    const response = await gateway.fetch("/v1/chat/completions", {
      method: "POST",
      headers: { "idempotency-key": key },
      body: "{",
    });
    expect(response.status).toBe(400);
    expect((await send(key)).status).toBe(200);
  });

  test("a request refused by a token limit", async () => {
    const apiKey = await gateway.newKey({ limits: { tokensPerMinute: 1 } });
    const key = newKey();
    expect((await send(key, { by: apiKey.key })).status).toBe(400);
    expect((await send(key, { by: apiKey.key, prompt: "Another one" })).status).toBe(400);
  });

  test("a request whose caller disconnected before the answer", async () => {
    const key = newKey();
    const leaving = new AbortController();
    const script = { fault: { kind: "stall", at: "headers", times: 1, key: "left" } };
    const called = gateway.sandbox.requests.length;
    const asked = send(key, { script, signal: leaving.signal }).catch(() => null);
    await gateway.sandbox.waitFor((requests) => requests.length > called);
    leaving.abort();
    await asked;
    await until("a free key", async () => (await send(key, { script })).status === 200);
  });
});
