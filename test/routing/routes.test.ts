import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { alias, askedOf, errorOf, failing, modelOf, policy } from "./routing.testkit.ts";

/** The resolution of names, and the first choice of each strategy. */

const cheap = { input: 1_000_000, output: 1_000_000 };
const dear = { input: 9_000_000, output: 9_000_000 };

let gateway: TestGateway;
let draw = 0;
beforeAll(async () => {
  gateway = await startTestGateway({
    random: () => draw,
    models: [
      modelOf("dear", { prices: dear }),
      modelOf("cheap", { prices: cheap }),
      modelOf("unpriced", { prices: null }),
      { id: "many/*", targets: [{ provider: "sandbox", model: "*-up" }], prices: cheap },
      { id: "many/free/*", targets: [{ provider: "sandbox", model: "*-up" }], prices: null },
      { ...modelOf("many/own"), prices: dear },
      {
        id: "spread",
        strategy: "round_robin",
        targets: [
          { provider: "sandbox", model: "one-up" },
          { provider: "sandbox", model: "two-up" },
        ],
      },
    ],
    routes: [
      alias("fast", "quick"),
      alias("quick", "cheap"),
      alias("best", "in-order"),
      alias("other", "many/x"),
      policy("in-order", ["dear", "cheap"]),
      policy("by-cost", ["unpriced", "dear", "cheap"], { strategy: "lowest_cost" }),
      policy("by-weight", [], {
        strategy: "weighted",
        members: [
          { model: "dear", weight: 1 },
          { model: "cheap", weight: 3 },
        ],
      }),
      policy("in-turn", ["dear", "cheap", "unpriced"], { strategy: "round_robin" }),
      alias("my-turn", "in-turn"),
      policy("by-load", ["dear", "cheap"], { strategy: "least_busy" }),
      policy("nested", ["spread", "cheap"]),
    ],
    sandbox: {
      models: Object.fromEntries(
        ["dear", "cheap", "unpriced", "one", "two", "x", "y", "many/own"].map((name) => [
          `${name}-up`,
          { tokens: { input: 100, output: 10 } },
        ]),
      ),
    },
  });
});
afterAll(() => gateway.stop());
afterEach(() => gateway.sandbox.reset());

/** Sends a request and returns the record. */
async function ask(model: string) {
  const response = await gateway.chat({ model });
  expect(response.status).toBe(200);
  await response.json();
  return gateway.record(response.headers.get("x-service-request-id"));
}

describe("an alias", () => {
  test("resolves to its model, also through another alias, and the record shows it", async () => {
    expect(await ask("fast")).toMatchObject({
      model: "fast",
      billing: { amount_microusd: 110 },
      routing: {
        strategy_name: "alias",
        requested_model: "fast",
        resolved_model: "cheap",
        chose_provider: "sandbox",
        attempts: 1,
      },
    });
    expect(askedOf(gateway)).toEqual(["cheap-up"]);
  });

  test("of a policy is that policy", async () => {
    const { routing } = await ask("best");
    expect(routing).toMatchObject({ strategy_name: "priority", requested_model: "best", resolved_model: "dear" });
  });

  test("may refer to a model of a pattern", async () => {
    expect((await ask("other")).routing).toMatchObject({ strategy_name: "alias", resolved_model: "many/x" });
  });
});

test("a plain model has the strategy direct", async () => {
  const { routing } = await ask("cheap");
  expect(routing).toMatchObject({ strategy_name: "direct", requested_model: "cheap", resolved_model: "cheap" });
});

test("an unknown name is a 404, and no provider is asked", async () => {
  for (const model of ["nothing", "many/", "auto", "many/*", "many/../x"]) {
    const error = await errorOf(await gateway.chat({ model }));
    expect(error).toMatchObject({ status: 404, type: "not_found_error", code: "model_not_found", param: "model" });
    expect(error.message).toContain(model);
  }
  expect(askedOf(gateway)).toEqual([]);
});

describe("a pattern", () => {
  test("matches any name below it, at its price", async () => {
    expect(await ask("many/x")).toMatchObject({
      billing: { amount_microusd: 110, status: "charged" },
      routing: { strategy_name: "direct", resolved_model: "many/x" },
    });
    expect(askedOf(gateway)).toEqual(["x-up"]);
  });

  test("without prices is marked as unpriced", async () => {
    expect((await ask("many/free/y")).billing).toMatchObject({ amount_microusd: 0, status: "unpriced" });
  });

  test("yields to a model of that name", async () => {
    expect((await ask("many/own")).billing.amount_microusd).toBe(990);
    expect(askedOf(gateway)).toEqual(["many/own-up"]);
  });
});

describe("a policy asks first", () => {
  test("the first target listed, and charges the price of the model that answers", async () => {
    expect((await ask("in-order")).billing.amount_microusd).toBe(990);
    gateway.sandbox.setModel("dear-up", failing(500));
    const record = await ask("in-order");
    gateway.sandbox.setModel("dear-up", { tokens: { input: 100, output: 10 } });
    expect(record).toMatchObject({
      billing: { amount_microusd: 110 },
      routing: { strategy_name: "priority", resolved_model: "cheap", attempts: 2 },
    });
  });

  test("the cheapest, with lowest_cost", async () => {
    expect((await ask("by-cost")).routing).toMatchObject({ strategy_name: "lowest_cost", resolved_model: "cheap" });
  });

  test("the drawn target, with weighted", async () => {
    const resolved: (string | null)[] = [];
    for (draw of [0, 0.249, 0.251, 0.999]) resolved.push((await ask("by-weight")).routing.resolved_model);
    expect(resolved).toEqual(["dear", "dear", "cheap", "cheap"]);
  });

  test("the next target, with round_robin, by any of its names", async () => {
    const resolved: (string | null)[] = [];
    for (const name of ["in-turn", "my-turn", "in-turn", "my-turn"]) {
      resolved.push((await ask(name)).routing.resolved_model);
    }
    expect(resolved).toEqual(["dear", "cheap", "unpriced", "dear"]);
  });

  test("the target with the fewest calls in flight, with least_busy", async () => {
    const controller = new AbortController();
    const stalled = { model: "by-load", sandbox: { fault: { kind: "stall", at: "headers", models: ["dear-up"] } } };
    const held = gateway.chat(stalled, { signal: controller.signal }).catch(() => null);
    await gateway.sandbox.waitFor((requests) => requests.length === 1);
    expect((await ask("by-load")).routing.resolved_model).toBe("cheap");
    controller.abort();
    await held;
    await gateway.sandbox.waitFor((requests) => requests[0]?.outcome === "aborted");
    expect((await ask("by-load")).routing.resolved_model).toBe("dear");
  });
});

test("a model's targets follow its own strategy, also within a policy", async () => {
  for (const model of ["spread", "nested", "spread"]) await ask(model);
  expect(askedOf(gateway)).toEqual(["one-up", "two-up", "one-up"]);
  expect((await ask("spread")).routing.strategy_name).toBe("round_robin");
});

test("lowest_latency asks the target with the lowest recent latency first", async () => {
  const two = await startTestGateway({
    models: [modelOf("slow"), modelOf("quick")],
    routes: [policy("by-latency", ["slow", "quick"], { strategy: "lowest_latency" })],
    sandbox: { models: { "slow-up": { latency_ms: 400 }, "quick-up": {} } },
  });
  try {
    for (let request = 0; request < 4; request++) await (await two.chat({ model: "by-latency" })).json();
    // Each is asked once, because its latency is unknown.
    expect(askedOf(two)).toEqual(["slow-up", "quick-up", "quick-up", "quick-up"]);
  } finally {
    await two.stop();
  }
});
