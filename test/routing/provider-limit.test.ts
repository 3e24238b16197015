import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { createTestClock } from "../clock.testkit.ts";
import { until } from "../until.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { askedOf, errorOf, policy, ticks } from "./routing.testkit.ts";

/** The concurrency limit of a provider: some calls wait for a slot, briefly and in order. */

const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    timeouts: { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000, totalMs: 120_000 },
    providers: (url) => [
      { id: "narrow", baseUrl: url, maxInFlight: 2 },
      { id: "wide", baseUrl: url },
    ],
    models: [
      { id: "narrow", targets: [{ provider: "narrow", model: "narrow-up" }] },
      { id: "neighbour", targets: [{ provider: "narrow", model: "neighbour-up" }] },
      { id: "wide", targets: [{ provider: "wide", model: "wide-up" }] },
    ],
    routes: [policy("both", ["narrow", "wide"])],
    sandbox: { models: { "narrow-up": {}, "neighbour-up": {}, "wide-up": {} } },
  });
});
afterAll(() => gateway.stop());

let held: AbortController[] = [];
beforeEach(async () => {
  // Both slots are taken, by two models of the provider.
  held = [new AbortController(), new AbortController()];
  const sandbox = { fault: { kind: "stall", at: "headers" } };
  for (const [place, controller] of held.entries()) {
    const model = place === 0 ? "narrow" : "neighbour";
    void gateway.chat({ model, sandbox }, { signal: controller.signal }).catch(() => null);
    await gateway.sandbox.waitFor((requests) => requests.length === place + 1);
  }
});
afterEach(async () => {
  for (const controller of held) controller.abort();
  const isOver = ({ outcome }: { outcome: string }) => outcome !== "open";
  await gateway.sandbox.waitFor((requests) => requests.every(isOver));
  gateway.sandbox.reset();
});

test("a further call waits and is made as soon as a slot is free", async () => {
  const asking = gateway.chat({ model: "narrow" });
  await ticks();
  expect(gateway.sandbox.requests.length).toBe(2);
  held[1]?.abort();
  const response = await asking;
  expect(response.status).toBe(200);
  await response.text();
  expect(response.headers.get("x-service-attempts")).toBe("1");
});

test("no call waits longer than two seconds", async () => {
  const asking = gateway.chat({ model: "narrow" });
  await ticks();
  clock.advance(2_000);
  const response = await asking;
  expect(await errorOf(response)).toMatchObject({
    status: 503,
    type: "overloaded_error",
    code: "no_target_available",
  });
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(gateway.sandbox.requests.length).toBe(2);
  // No slot is lost: the next call gets one as soon as it is free.
  held[0]?.abort();
  expect((await gateway.chat({ model: "narrow" })).status).toBe(200);
});

test("as many calls wait as may be in flight; further ones are refused at once", async () => {
  const statuses = Array.from({ length: 3 }, async () => {
    const response = await gateway.chat({ model: "narrow" });
    await response.text();
    return response.status;
  });
  const first = await Promise.race(statuses);
  expect(first).toBe(503);
  held[0]?.abort();
  held[1]?.abort();
  expect((await Promise.all(statuses)).filter((status) => status === 200).length).toBe(2);
});

test("no call waits if another target is free", async () => {
  const response = await gateway.chat({ model: "both" });
  expect(response.status).toBe(200);
  await response.text();
  expect(askedOf(gateway).at(-1)).toBe("wide-up");
});

test("a caller that disconnects frees its place in the queue", async () => {
  const controller = new AbortController();
  const leaving = gateway.chat({ model: "narrow" }, { signal: controller.signal }).catch(() => null);
  const logged = gateway.log.length;
  await ticks();
  controller.abort();
  await leaving;
  await until("it has left", () => gateway.log.length > logged);
  const waiting = gateway.chat({ model: "narrow" });
  await ticks();
  held[0]?.abort();
  expect((await waiting).status).toBe(200);
});

test("a stream holds its slot until its last byte", async () => {
  held[0]?.abort();
  await gateway.sandbox.waitFor((requests) => requests[0]?.outcome === "aborted");
  const controller = new AbortController();
  const sandbox = { fault: { kind: "stall", after: 2 } };
  const streaming = await gateway.chat({ model: "narrow", stream: true, sandbox }, { signal: controller.signal });
  const reader = streaming.body?.getReader();
  await reader?.read();
  const waiting = gateway.chat({ model: "narrow" });
  await ticks();
  expect(gateway.sandbox.requests.length).toBe(3);
  controller.abort();
  expect((await waiting).status).toBe(200);
  for (let stream = 0; stream < 5; stream++) {
    const response = await gateway.chat({ model: "narrow", stream: true });
    expect(response.status).toBe(200);
    await response.text();
  }
});
