import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { createTestClock } from "../clock.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { attemptsOf, errorOf, failing, policy } from "./routing.testkit.ts";

/** Several credentials of one provider: used round robin, each with its own health. */

const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    random: () => 0,
    sandbox: { apiKeys: ["good-1", "good-2", "other"] },
    providers: (url) => [
      // The next credential depends on earlier requests, so the round-robin test has its own provider.
      { id: "turns", baseUrl: url, apiKeys: ["good-1", "revoked", "good-2"], circuit: { ...circuit, openMs: 30_000 } },
      { id: "three", baseUrl: url, apiKeys: ["good-1", "revoked", "good-2"], circuit: { ...circuit, openMs: 30_000 } },
      { id: "revoked", baseUrl: url, apiKeys: ["gone-1", "gone-2"], circuit: { ...circuit, openMs: 30_000 } },
      { id: "limited", baseUrl: url, apiKeys: ["good-1", "good-2"], circuit },
      { id: "spare", baseUrl: url, apiKeys: ["other"] },
    ],
    models: [
      { id: "turns", targets: [{ provider: "turns", model: "any-up" }] },
      { id: "three", targets: [{ provider: "three", model: "any-up" }] },
      { id: "three-too", targets: [{ provider: "three", model: "other-up" }] },
      { id: "never-answered", targets: [{ provider: "three", model: "new-up" }] },
      { id: "revoked", targets: [{ provider: "revoked", model: "any-up" }] },
      { id: "limited", targets: [{ provider: "limited", model: "limited-up" }] },
      { id: "spare", targets: [{ provider: "spare", model: "any-up" }] },
    ],
    routes: [policy("pair", ["revoked", "spare"]), policy("patient", ["limited"])],
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  clock.advance(600_000);
  gateway.sandbox.reset();
  for (const name of ["any-up", "other-up", "new-up", "limited-up"]) gateway.sandbox.setModel(name, {});
});

const circuit = { failures: 1_000, openMs: 30_000, failureRate: 2, minCalls: 1 };

/** The keys that the sandbox received, in order. */
const keysUsed = () => gateway.sandbox.requests.map(({ headers }) => headers["authorization"]?.replace("Bearer ", ""));

async function ask(model: string): Promise<Response> {
  const response = await gateway.chat({ model });
  await response.clone().text();
  return response;
}

test("they are used round robin; a rejected one is followed by the next at once and then paused", async () => {
  const attempts: (string | null)[] = [];
  for (let request = 0; request < 6; request++) {
    const response = await ask("turns");
    expect(response.status).toBe(200);
    attempts.push(response.headers.get("x-service-attempts"));
  }
  expect(attempts).toEqual(["1", "2", "1", "1", "1", "1"]);
  expect(keysUsed()).toEqual(["good-1", "revoked", "good-2", "good-1", "good-2", "good-1", "good-2"]);
  clock.advance(30_000);
  gateway.sandbox.reset();
  for (let request = 0; request < 3; request++) await ask("turns");
  expect(keysUsed().filter((key) => key === "revoked")).toEqual(["revoked"]);
});

test("each attempt is recorded, and a rejected one is free", async () => {
  for (let request = 0; request < 3; request++) {
    const response = await ask("three");
    if (response.headers.get("x-service-attempts") !== "2") continue;
    expect(await attemptsOf(gateway, response.headers.get("x-service-request-id"))).toMatchObject([
      { provider: "three", outcome: "failed", status_code: 401, error: "credential", provider_cost: "none" },
      { provider: "three", outcome: "answered", status_code: 200, error: null, provider_cost: "measured" },
    ]);
    return;
  }
  throw new Error("The refused credential was never used.");
});

test("if all are rejected the next target answers, and the provider is not asked until one is usable", async () => {
  expect((await ask("pair")).status).toBe(200);
  expect(keysUsed()).toEqual(["gone-1", "gone-2", "other"]);
  gateway.sandbox.reset();
  expect((await ask("pair")).status).toBe(200);
  expect(keysUsed()).toEqual(["other"]);
  const response = await gateway.chat({ model: "revoked" });
  expect(await errorOf(response)).toMatchObject({ status: 503, code: "no_target_available" });
  expect(response.headers.get("retry-after")).toBe("30");
  expect(keysUsed()).toEqual(["other"]);
});

test("errors reveal nothing about the credentials", async () => {
  const response = await gateway.chat({ model: "revoked" });
  const text = await response.text();
  expect(response.status).toBe(502);
  expect(text).not.toContain("gone");
  expect(text).toContain("upstream_error");
  expect(JSON.stringify(gateway.log)).not.toMatch(/gone-|good-|revoked"?:/);
});

test("a rate-limited credential is paused for the requested wait, while the other is used", async () => {
  const limited = failing(429, { headers: { "retry-after": "20" }, times: 1, key: crypto.randomUUID() });
  gateway.sandbox.setModel("limited-up", limited);
  const first = await ask("limited");
  expect(first.headers.get("x-service-attempts")).toBe("2");
  const [refused, other] = keysUsed();
  expect(refused).not.toBe(other);
  for (let request = 0; request < 3; request++) expect((await ask("limited")).status).toBe(200);
  expect(keysUsed().slice(1)).toEqual([other, other, other, other]);
  clock.advance(20_000);
  expect((await ask("limited")).status).toBe(200);
  expect(keysUsed().at(-1)).toBe(refused);
});

test("if all are rate-limited, the policy waits within its budget", async () => {
  gateway.sandbox.setModel("limited-up", failing(429, { times: 2, key: crypto.randomUUID() }));
  const response = await ask("patient");
  expect(response.status).toBe(200);
  expect(response.headers.get("x-service-attempts")).toBe("3");
});

test("a credential without access to a model is paused for that model only", async () => {
  gateway.sandbox.setModel("new-up", failing(403));
  expect((await ask("never-answered")).status).toBe(502);
  gateway.sandbox.setModel("new-up", {});
  expect(await errorOf(await gateway.chat({ model: "never-answered" }))).toMatchObject({ status: 503 });
  expect((await ask("three-too")).status).toBe(200);
});

test("a request that the provider refuses to all credentials takes the model from nobody else", async () => {
  for (let request = 0; request < 4; request++) expect((await ask("three")).status).toBe(200);
  gateway.sandbox.setModel("any-up", failing(403));
  expect((await ask("three")).status).toBe(502);
  gateway.sandbox.setModel("any-up", {});
  for (let request = 0; request < 4; request++) expect((await ask("three")).status).toBe(200);
});
