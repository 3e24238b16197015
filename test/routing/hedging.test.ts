import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { createTestClock } from "../clock.testkit.ts";
import { until } from "../until.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { askedOf, attemptsOf, errorOf, failing, modelOf, policy, ticks } from "./routing.testkit.ts";
import { done } from "../sse-text.testkit.ts";

/** Hedging: a second target is asked if the first is silent, one answers, and only it is charged. */

const clock = createTestClock();
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    clock,
    random: () => 0,
    timeouts: { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000, totalMs: 120_000 },
    models: [
      modelOf("first", { prices: { input: 1_000_000, output: 1_000_000 } }),
      modelOf("second", { prices: { input: 3_000_000, output: 3_000_000 } }),
      ...["third", "slow", "quick"].map((id) => modelOf(id)),
    ],
    routes: [
      policy("hedged", ["first", "second", "third"], { hedgeAfterMs: 1_500 }),
      policy("lonely", ["first"], { hedgeAfterMs: 1_500 }),
      policy("once", ["first", "second"], {
        hedgeAfterMs: 1_500,
        retry: { attempts: 1, budgetMs: 60_000, on: [] },
      }),
      policy("by-latency", ["slow", "quick"], { hedgeAfterMs: 1_500, strategy: "lowest_latency" }),
    ],
  });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  for (const name of ["first", "second", "third", "slow", "quick"]) {
    gateway.sandbox.setModel(`${name}-up`, { tokens: { input: 100, output: 10 } });
  }
});
afterEach(() => {
  clock.advance(10_000);
  gateway.sandbox.reset();
});

const silent = (...models: string[]) => ({ fault: { kind: "stall", at: "headers", models } });
const received = (count: number) => gateway.sandbox.waitFor((requests) => requests.length === count);

test.each([false, true])("the second is asked after the delay and wins (stream: %p)", async (stream) => {
  const asking = gateway.chat({ model: "hedged", stream, sandbox: silent("first-up") });
  await received(1);
  clock.advance(1_400);
  await ticks();
  expect(askedOf(gateway)).toEqual(["first-up"]);
  clock.advance(100);
  const response = await asking;
  expect(response.status).toBe(200);
  expect((await response.text()).endsWith(done)).toBe(stream);
  expect(askedOf(gateway)).toEqual(["first-up", "second-up"]);
  expect(response.headers.get("x-service-attempts")).toBe("2");
  // The other call is cancelled.
  await gateway.sandbox.waitFor(([first]) => first?.outcome === "aborted");

  const id = response.headers.get("x-service-request-id");
  expect(await gateway.record(id)).toMatchObject({
    status: "succeeded",
    billing: { amount_microusd: 330 },
    routing: { resolved_model: "second", attempts: 2 },
  });
  expect(await attemptsOf(gateway, id)).toMatchObject([
    { model: "first", outcome: "lost", provider_cost: "estimated", error: null },
    { model: "second", outcome: "answered", provider_cost: "measured", provider_cost_microusd: 330 },
  ]);
});

test("the first may still win, and the second is cancelled", async () => {
  gateway.sandbox.setModel("first-up", { tokens: { input: 100, output: 10 }, latency_ms: 400 });
  gateway.sandbox.setModel("second-up", { fault: { kind: "stall", at: "headers" } });
  const asking = gateway.chat({ model: "hedged" });
  await received(1);
  clock.advance(1_500);
  await received(2);
  const response = await asking;
  expect(response.status).toBe(200);
  await response.text();
  await gateway.sandbox.waitFor((requests) => requests[1]?.outcome === "aborted");
  const id = response.headers.get("x-service-request-id");
  expect((await gateway.record(id)).billing.amount_microusd).toBe(110);
  expect((await attemptsOf(gateway, id)).map(({ outcome }) => outcome)).toEqual(["answered", "lost"]);
});

test("a fast answer prevents the second call", async () => {
  const response = await gateway.chat({ model: "hedged" });
  await response.text();
  clock.advance(1_500);
  await ticks();
  expect(askedOf(gateway)).toEqual(["first-up"]);
  expect(response.headers.get("x-service-attempts")).toBe("1");
});

test("if one fails, the other answers", async () => {
  gateway.sandbox.setModel("second-up", failing(500));
  gateway.sandbox.setModel("first-up", { latency_ms: 400 });
  const asking = gateway.chat({ model: "hedged" });
  await received(1);
  clock.advance(1_500);
  const response = await asking;
  await response.text();
  expect(response.status).toBe(200);
  expect(askedOf(gateway)).toEqual(["first-up", "second-up"]);
  const outcomes = await attemptsOf(gateway, response.headers.get("x-service-request-id"));
  expect(outcomes.map(({ outcome, error }) => [outcome, error])).toEqual([
    ["answered", null],
    ["failed", "server_error"],
  ]);
});

test("if both fail, the next target is asked", async () => {
  gateway.sandbox.setModel("second-up", failing(500));
  gateway.sandbox.setModel("first-up", { ...failing(500), latency_ms: 300 });
  const asking = gateway.chat({ model: "hedged" });
  await received(1);
  clock.advance(1_500);
  const response = await asking;
  await response.text();
  expect(response.status).toBe(200);
  expect(askedOf(gateway)).toEqual(["first-up", "second-up", "third-up"]);
});

test.each(["lonely", "once"])("without another target or attempt there is no second call: %s", async (model) => {
  const asking = gateway.chat({ model, sandbox: silent("first-up") }, { headers: { "x-request-timeout-ms": "5000" } });
  await received(1);
  clock.advance(1_500);
  await ticks();
  expect(askedOf(gateway)).toEqual(["first-up"]);
  clock.advance(3_500);
  expect(await errorOf(await asking)).toMatchObject({ status: 504, code: "total_timeout" });
});

test("a caller that disconnects cancels both and pays nothing", async () => {
  const logged = gateway.log.length;
  const controller = new AbortController();
  const sandbox = silent("first-up", "second-up");
  const asking = gateway.chat({ model: "hedged", sandbox }, { signal: controller.signal }).catch(() => null);
  await received(1);
  clock.advance(1_500);
  await received(2);
  controller.abort();
  await asking;
  await gateway.sandbox.waitFor((requests) => requests.every(({ outcome }) => outcome === "aborted"));
  const isCancelled = ({ fields }: { fields: object }) => "status" in fields && fields.status === "cancelled";
  await until("the request is logged", () => gateway.log.slice(logged).some(isCancelled));
  const id = String(gateway.log.slice(logged).find(isCancelled)?.fields["request_id"]);
  expect(await gateway.record(id)).toMatchObject({ status: "cancelled", billing: { amount_microusd: 0 } });
  expect((await attemptsOf(gateway, id)).map(({ outcome }) => outcome)).toEqual(["cancelled", "cancelled"]);
});

test("a target that loses counts as slow and is asked last afterwards", async () => {
  const asking = gateway.chat({ model: "by-latency", sandbox: silent("slow-up") });
  await received(1);
  clock.advance(1_500);
  await (await asking).text();
  await (await gateway.chat({ model: "by-latency" })).text();
  await (await gateway.chat({ model: "by-latency" })).text();
  expect(askedOf(gateway)).toEqual(["slow-up", "quick-up", "quick-up", "quick-up"]);
});

describe("while an image is fetched for the second", () => {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  /** Ends the fetches that wait. */
  let answers: (() => void)[] = [];
  let media: ReturnType<typeof Bun.serve>;
  let own: TestGateway;
  beforeAll(async () => {
    media = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      async fetch() {
        const { promise, resolve } = Promise.withResolvers<void>();
        answers.push(resolve);
        await promise;
        return new Response(png, { headers: { "content-type": "image/png" } });
      },
    });
    own = await startTestGateway({
      fetch: { allowHosts: ["127.0.0.1"] },
      providers: (url) => [{ id: "google", dialects: ["gemini"], baseUrl: url.replace(/\/v1$/, "") }],
      models: [modelOf("first"), { id: "second", targets: [{ provider: "google", model: "second-up" }] }],
      routes: [policy("hedged", ["first", "second"], { hedgeAfterMs: 50 })],
    });
  });
  afterEach(() => {
    own.sandbox.reset();
    answers = [];
  });
  afterAll(async () => {
    await own.stop();
    await media.stop(true);
  });

  function ask(first: object, init: RequestInit = {}) {
    own.sandbox.setModel("first-up", first);
    own.sandbox.setModel("second-up", {});
    const content = [{ type: "image_url", image_url: { url: `http://127.0.0.1:${media.port}/image` } }];
    return own.chat({ model: "hedged", messages: [{ role: "user", content }] }, init);
  }
  const fetching = () => until("the image is asked for", () => answers.length === 1);
  const answerFetch = () => answers.forEach((answer) => answer());

  test("the first can answer, and the second is not asked any more", async () => {
    const response = await ask({ latency_ms: 500 });
    await fetching();
    expect(response.status).toBe(200);
    expect(response.headers.get("x-service-attempts")).toBe("1");
    answerFetch();
    await ticks();
    expect(askedOf(own)).toEqual(["first-up"]);
  });

  test("the second is asked after it, also if the first has failed meanwhile", async () => {
    const asking = ask({ ...failing(500), latency_ms: 300 });
    await fetching();
    await own.sandbox.waitFor(([first]) => first?.status === 500);
    await ticks();
    answerFetch();
    const response = await asking;
    expect(response.status).toBe(200);
    expect(response.headers.get("x-service-attempts")).toBe("2");
  });

  test("the caller can leave", async () => {
    const logged = own.log.length;
    const controller = new AbortController();
    const asking = ask(silent("first-up"), { signal: controller.signal }).catch(() => null);
    await fetching();
    controller.abort();
    await asking;
    await own.sandbox.waitFor(([first]) => first?.outcome === "aborted");
    await until("the request is logged", () => own.log.length > logged);
    const id = String(own.log[logged]?.fields["request_id"]);
    expect((await attemptsOf(own, id)).map(({ outcome }) => outcome)).toEqual(["cancelled"]);
    answerFetch();
    await ticks();
    expect(askedOf(own)).toEqual(["first-up"]);
  });
});
