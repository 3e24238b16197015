import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createTestClock } from "../clock.testkit.ts";
import { callers } from "../dialects/callers.testkit.ts";
import { startTestGateway, type TestGateway, type TestKey } from "../gateway.testkit.ts";

/** A key in a loop of refused requests fills neither the storage nor the log: `server.max_refused_per_minute`. */

const limit = 5;
const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ clock, server: { maxRefusedPerMinute: limit } });
});
beforeEach(() => gateway.sandbox.reset());
afterAll(() => gateway.stop());

async function ask({ key }: TestKey, body: object = {}) {
  const response = await gateway.chat({ ...body }, { headers: { authorization: `Bearer ${key}` } });
  const { error } = (await response.json()) as { error?: { type: string; code: string; message: string } };
  const id = response.headers.get("x-service-request-id");
  return { status: response.status, headers: response.headers, error, id };
}

async function isRecorded({ key }: TestKey, id: string | null): Promise<boolean> {
  const response = await gateway.fetch(`/api/usage/requests/${id}`, { headers: { authorization: `Bearer ${key}` } });
  await response.arrayBuffer();
  return response.status === 200;
}

const linesOf = ({ id }: TestKey) => gateway.log.filter(({ fields }) => fields["key_id"] === id);
const unknown = { model: "nobody" };

describe("beyond the limit", () => {
  test("a refusal is a 429 without a record, and the log says so once", async () => {
    const key = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    const answers = [];
    for (let times = 0; times < limit + 20; times++) answers.push(await ask(key, unknown));
    expect(answers.slice(0, limit).map(({ status }) => status)).toEqual(Array.from({ length: limit }, () => 404));
    const beyond = answers.slice(limit);
    for (const { status, error, headers } of beyond) {
      expect(status).toBe(429);
      expect(error).toMatchObject({ type: "rate_limit_exceeded", code: "requests_per_minute" });
      expect(error?.message).toContain(`${limit} refused requests per minute`);
      expect(error?.message).toContain("'nobody'");
      const wait = Number(headers.get("retry-after"));
      expect(wait).toBeWithin(1, 61);
      expect(error?.message).toContain(`Retry in ${wait} second`);
    }
    const recorded = await Promise.all(answers.map(({ id }) => isRecorded(key, id)));
    expect(recorded).toEqual(answers.map(({ status }) => status === 404));
    const lines = linesOf(key);
    expect(lines.filter(({ message }) => message === "request")).toHaveLength(limit);
    expect(lines.filter(({ level }) => level === "warn")).toHaveLength(1);
    expect(gateway.sandbox.requests).toHaveLength(0);
  });

  test("good requests of the key are answered", async () => {
    const key = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    for (let times = 0; times < limit + 1; times++) await ask(key, unknown);
    expect(await ask(key)).toMatchObject({ status: 200 });
  });

  test("another key has its own", async () => {
    const [first, second] = [await gateway.newKey(), await gateway.newKey()];
    for (let times = 0; times < limit + 1; times++) await ask(first, unknown);
    expect(await ask(second, unknown)).toMatchObject({ status: 404 });
  });

  test("the wait is true, and refusals do not extend it", async () => {
    const key = await gateway.newKey();
    for (let times = 0; times < limit; times++) await ask(key, unknown);
    clock.advance(50_000);
    for (let times = 0; times < limit; times++) await ask(key, unknown);
    const refusal = await ask(key, unknown);
    const wait = Number(refusal.headers.get("retry-after"));
    expect(wait).toBeWithin(5, 12);
    clock.advance(wait * 1000);
    expect(await ask(key, unknown)).toMatchObject({ status: 404 });
  });
});

describe("the log of a flood is bounded", () => {
  const lines = () => gateway.log.filter(({ message }) => message === "request").length;
  const warnings = () => gateway.log.filter(({ level }) => level === "warn").length;

  test("of a key beyond its limits", async () => {
    const key = await gateway.newKey({ limits: { requestsPerMinute: 1 } });
    expect((await ask(key)).status).toBe(200);
    const [before, warned] = [lines(), warnings()];
    for (let times = 0; times < 3 * limit; times++) expect((await ask(key)).status).toBe(429);
    expect(lines() - before).toBe(limit);
    expect(warnings() - warned).toBe(1);
  });

  test("of callers without a good key, and at unknown paths", async () => {
    clock.advance(61_000);
    const [before, warned] = [lines(), warnings()];
    for (let times = 0; times < 10 * limit; times++) {
      expect((await ask({ id: "", key: `sk-wrong-${times}` })).status).toBe(401);
      await (await gateway.fetch(`/nowhere/${times}`)).arrayBuffer();
    }
    expect(lines() - before).toBe(10 * limit);
    expect(warnings() - warned).toBe(1);
    clock.advance(61_000);
    await ask({ id: "", key: "sk-wrong" });
    expect(lines() - before).toBe(10 * limit + 1);
  });
});

test("token counts of a key have a limit of their own, whether it has limits or not", async () => {
  const other = await startTestGateway({ server: { maxFreePerMinute: 3 } });
  try {
    const count = ({ key }: TestKey) =>
      other.fetch("/v1/messages/count_tokens", {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ model: "sandbox-chat", messages: [{ role: "user", content: "Hello!" }] }),
      });
    for (const limits of [{}, { requestsPerMinute: 1 }]) {
      const key = await other.newKey({ limits });
      const answers = [];
      for (let times = 0; times < 5; times++) answers.push(await count(key));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429, 429]);
      expect(Number(answers[4]?.headers.get("retry-after"))).toBeWithin(1, 61);
      expect(await answers[4]?.json()).toMatchObject({ type: "error", error: { type: "rate_limit_error" } });
      const rows = await Promise.all(
        answers.map(({ headers }) =>
          other.fetch(`/api/usage/requests/${headers.get("x-service-request-id")}`, {
            headers: { authorization: `Bearer ${key.key}` },
          }),
        ),
      );
      expect(rows.map(({ status }) => status)).toEqual([200, 200, 200, 404, 404]);
      expect((await other.chat({}, { headers: { authorization: `Bearer ${key.key}` } })).status).toBe(200);
    }
  } finally {
    await other.stop();
  }
});

test("refusals of every kind and dialect count", async () => {
  const key = await gateway.newKey({ scopes: { models: ["sandbox-chat"], endpoints: ["chat"] } });
  const kinds: readonly object[] = [{ messages: "none" }, { model: "sandbox-reasoning" }, unknown];
  for (const kind of kinds) expect((await ask(key, kind)).status).toBeWithin(400, 405);
  for (const caller of callers) {
    const response = await gateway.fetch(caller.path("sandbox-chat", false), {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key.key}` },
      body: "{",
    });
    await response.arrayBuffer();
    expect([400, 403, 429]).toContain(response.status);
  }
  expect(await ask(key, unknown)).toMatchObject({ status: 429 });
});

test("requests that reached a provider, and those that a rate limit turned away, do not count", async () => {
  const key = await gateway.newKey({ limits: { requestsPerMinute: 3 } });
  for (let times = 0; times < 3; times++) {
    const refusal = await ask(key, { sandbox: { fault: { kind: "status", status: 400 } } });
    expect(refusal.status).toBe(400);
    expect(await isRecorded(key, refusal.id)).toBe(true);
  }
  for (let times = 0; times < limit + 3; times++) expect((await ask(key)).status).toBe(429);
  clock.advance(61_000);
  for (let times = 0; times < limit; times++) expect((await ask(key, unknown)).status).toBe(404);
});

test("the default is 60, and 0 is no limit", async () => {
  for (const [server, expected] of [
    [{ maxRefusedPerMinute: 60 }, 60],
    [{ maxRefusedPerMinute: 0 }, 70],
  ] as const) {
    const other = await startTestGateway({ server });
    try {
      let refused = 0;
      for (let times = 0; times < 70; times++) {
        const response = await other.chat(unknown);
        await response.arrayBuffer();
        if (response.status === 404) refused++;
      }
      expect(refused).toBe(expected);
    } finally {
      await other.stop();
    }
  }
});
