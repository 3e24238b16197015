import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defaultBilling } from "../../src/config/defaults.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";

/** `billing: { unpriced: refuse }`: no model without a price is served. */

let gateway: TestGateway;
const target = { provider: "sandbox", model: "sandbox-chat" };

beforeAll(async () => {
  gateway = await startTestGateway({
    billing: { ...defaultBilling, unpriced: "refuse" },
    prices: { bundled: false },
    models: [
      { id: "priced", targets: [target], prices: { input: 0 } },
      { id: "unpriced", targets: [target], prices: null },
      { id: "empty", targets: [target], prices: {} },
      { id: "passed", targets: [target], prices: { cost: "provider" } },
      {
        id: "half",
        targets: [
          { ...target, prices: { input: 1 } },
          { ...target, model: "sandbox-reasoning" },
        ],
        prices: null,
      },
      { id: "both", targets: [{ ...target, prices: { input: 1 } }], prices: null },
      { id: "gpt-5-mini", targets: [{ ...target, model: "gpt-5-mini" }], prices: null },
    ],
    routes: [
      {
        kind: "policy",
        id: "any",
        strategy: "priority",
        members: [
          { model: "unpriced", weight: 1 },
          { model: "priced", weight: 1 },
        ],
        requires: [],
        retry: { attempts: null, budgetMs: 1_000, on: [] },
        fallbackOn: [],
        hedgeAfterMs: null,
      },
    ],
  });
});
afterAll(() => gateway.stop());

describe("a model without a price", () => {
  test.each(["unpriced", "empty", "half", "gpt-5-mini"])("is refused: %s", async (model) => {
    const response = await gateway.chat({ model });
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { type: "invalid_request_error", code: "model_unpriced", param: "model" } },
    ]);
    expect(await gateway.record(idOf(response))).toMatchObject({ status: "refused", billing: { amount_microusd: 0 } });
  });

  test.each(["priced", "passed", "both"])("one with a price is served: %s", async (model) => {
    expect((await gateway.chat({ model })).status).toBe(200);
  });

  test("is left out of a policy that has others", async () => {
    const response = await gateway.chat({ model: "any" });
    expect(response.status).toBe(200);
    expect((await gateway.record(idOf(response))).routing.resolved_model).toBe("priced");
  });

  test("counts tokens all the same: that is free", async () => {
    const response = await gateway.fetch("/v1/messages/count_tokens", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "unpriced", messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(response.status).toBe(200);
  });
});
