import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The admin API: the health of targets, and the attempts of a request. */

let gateway: TestGateway;
let admin: RequestInit;
beforeAll(async () => {
  gateway = await startTestGateway({
    providers: (url) => [
      { id: "sick", baseUrl: url, circuit: { failures: 2, openMs: 60_000, failureRate: 2, minCalls: 1 } },
      { id: "well", baseUrl: url },
      { id: "third", baseUrl: url },
    ],
    models: [
      {
        id: "twofold",
        targets: [
          { provider: "sick", model: "sick-up" },
          { provider: "well", model: "well-up" },
        ],
        prices: { input: 1_000_000, output: 2_000_000 },
      },
      {
        id: "single",
        targets: [{ provider: "third", model: "single-up" }],
        prices: { input: 1_000_000, output: 2_000_000 },
      },
    ],
    sandbox: {
      models: {
        "sick-up": { fault: { kind: "status", status: 500 } },
        "well-up": {},
        "single-up": { fault: { kind: "error_event", after: 2 } },
      },
    },
  });
  const { key } = await gateway.newKey({ admin: true });
  admin = { headers: { authorization: `Bearer ${key}` } };
});
afterAll(() => gateway.stop());

async function healthOf(provider: string): Promise<Record<string, unknown> | undefined> {
  const response = await gateway.fetch("/api/admin/health", admin);
  expect(response.status).toBe(200);
  const list = (await response.json()) as { object: string; data: Record<string, unknown>[] };
  expect(list.object).toBe("list");
  return list.data.find((target) => target.provider === provider);
}

test("health shows a failing target, then its open circuit, while the other target answers", async () => {
  expect(await healthOf("sick")).toEqual({
    provider: "sick",
    model: "twofold",
    upstream_model: "sick-up",
    state: "closed",
    in_flight: 0,
    error_rate: 0,
    latency_ms: null,
    open_until: null,
  });
  const attempts: (string | null)[] = [];
  for (let request = 0; request < 4; request++) {
    const response = await gateway.chat({ model: "twofold" });
    expect(response.status).toBe(200);
    attempts.push(response.headers.get("x-service-attempts"));
  }
  expect(attempts).toEqual(["2", "2", "1", "1"]);
  expect(await healthOf("sick")).toMatchObject({ state: "open", error_rate: 1, in_flight: 0 });
  expect(Number((await healthOf("sick"))?.open_until)).toBeGreaterThan(Date.now() / 1000 + 30);
  expect(await healthOf("well")).toMatchObject({ state: "closed", error_rate: 0, open_until: null });
  expect((await healthOf("well"))?.latency_ms).toBeNumber();
  const transitions = gateway.log.filter(({ message }) => message.startsWith("Circuit"));
  expect(transitions).toHaveLength(1);
  expect(transitions[0]).toMatchObject({ level: "warn", fields: { target: "sick/sick-up", circuit: "open" } });
});

test("attempts and their costs are visible to operators; the caller sees their number", async () => {
  const broken = await gateway.chat({ model: "single", stream: true });
  const id = broken.headers.get("x-service-request-id") ?? "";
  await broken.text();
  const record = await gateway.record(id);
  expect(record).toMatchObject({ status: "failed", billing: { amount_microusd: 0 }, routing: { attempts: 1 } });
  expect(record).not.toContainKeys(["attempts", "provider_cost_microusd"]);

  const response = await gateway.fetch(`/api/admin/requests/${id}`, admin);
  const shown = (await response.json()) as Record<string, unknown> & { provider_cost_microusd: number };
  expect(shown).toMatchObject({
    id,
    key_id: expect.any(String) as string,
    attempts: [
      {
        model: "single",
        provider: "third",
        upstream_model: "single-up",
        outcome: "failed",
        status_code: 200,
        error: "invalid_response",
        provider_cost: "estimated",
      },
    ],
  });
  // A broken answer is free for the caller, but the provider may charge for it.
  expect(shown.provider_cost_microusd).toBeGreaterThan(0);
  expect((await gateway.fetch("/api/admin/requests/req_unknown", admin)).status).toBe(404);
});

test("other keys get a 403", async () => {
  for (const path of ["/api/admin/health", "/api/admin/requests/req_x"]) {
    const response = await gateway.fetch(path);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ error: { type: "permission_error", code: "endpoint_not_allowed" } });
    expect((await fetch(gateway.url + path)).status).toBe(401);
  }
});
