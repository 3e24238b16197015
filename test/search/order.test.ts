import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { searchAt } from "./search.testkit.ts";

/** Which of several backends is asked, if all can do what the request needs. */
let gateway: TestGateway;
let drawn = 0.5;

beforeAll(async () => {
  gateway = await startTestGateway({
    random: () => drawn,
    backends: (url) => {
      const backend = (id: string, priority: number, price: number | null, more: object = {}) => ({
        id,
        provider: "tavily",
        baseUrl: `${url}/search/tavily@${id}`,
        apiKeys: ["k"],
        priority,
        prices: price === null ? null : { web_search: price },
        ...more,
      });
      return [
        backend("unpriced", 1, null),
        backend("dear", 1, 9_000),
        backend("cheap", 1, 5_000, { maxInFlight: 1 }),
        backend("last", 2, 1_000),
      ];
    },
  });
});
beforeEach(() => {
  gateway.sandbox.reset();
  drawn = 0.5;
  for (const id of ["unpriced", "dear", "cheap", "last"]) gateway.sandbox.setModel(`search/tavily@${id}`, {});
});
afterAll(() => gateway.stop());

test("among equal priorities the cheaper comes first, and an unknown price last", async () => {
  const { body } = await searchAt(gateway);
  expect(body.route_receipt.candidates).toEqual(["cheap", "dear", "unpriced", "last"]);
  expect(body.route_receipt.decision_reason).toBe("price_or_weight");
});

test("a backend at its limit of calls is passed over", async () => {
  gateway.sandbox.setModel("search/tavily@cheap", { latency_ms: 400 });
  const slow = searchAt(gateway, { query: "first" });
  await gateway.sandbox.waitFor((requests) => requests.length === 1);
  const { body } = await searchAt(gateway, { query: "second" });
  expect(body.route_receipt).toMatchObject({
    selected_backend: "dear",
    rejected: [{ backend: "cheap", reason: "full" }],
  });
  expect((await slow).body.route_receipt.selected_backend).toBe("cheap");
});

test("among equals the order is drawn by weight", async () => {
  const equal = await startTestGateway({
    random: () => draws.shift() ?? 0.5,
    backends: (url) =>
      [1, 3].map((weight) => ({
        id: `weight-${weight}`,
        provider: "tavily",
        baseUrl: `${url}/search/tavily`,
        apiKeys: ["k"],
        weight,
      })),
  });
  const draws: number[] = [];
  const counts = { "weight-1": 0, "weight-3": 0 };
  const steps = 10;
  for (let one = 0; one < steps; one++) {
    for (let other = 0; other < steps; other++) {
      draws.push((one + 0.5) / steps, (other + 0.5) / steps);
      const { body } = await searchAt(equal);
      counts[body.route_receipt.selected_backend as keyof typeof counts] += 1;
      draws.length = 0;
    }
  }
  await equal.stop();
  expect(counts["weight-3"]).toBeWithin(70, 81);
});
