import { afterAll, beforeAll, expect, test } from "bun:test";
import { createDialects } from "../../src/dialects/dialect.ts";
import { dialects } from "../../src/dialects/registry.ts";
import type { Operation, OperationInput } from "../../src/operations/operation.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** What a request needs is worked out once, however many models could serve it. */

const calls = new Map<string, number>();

function counted(operation: Operation<OperationInput>): Operation<OperationInput> {
  const count = (name: string) => void calls.set(name, (calls.get(name) ?? 0) + 1);
  return {
    ...operation,
    read(body, context) {
      count("read");
      return operation.read(body, context);
    },
    expectedUsage(input) {
      count("expectedUsage");
      return operation.expectedUsage(input);
    },
    estimateInput(input) {
      count("estimateInput");
      return operation.estimateInput(input);
    },
    ...(operation.capabilities && {
      capabilities(input) {
        count("capabilities");
        return operation.capabilities?.(input) ?? [];
      },
    }),
    exchange(input, target, model, tools) {
      count("exchange");
      return operation.exchange(input, target, model, tools);
    },
  };
}

const models = 100;
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    dialects: createDialects(
      dialects.all.map((dialect) => ({ ...dialect, operations: dialect.operations.map(counted) })),
    ),
    models: Array.from({ length: models }, (_, index) => ({
      id: `model-${index}`,
      // The two cheapest fail, so that several are asked.
      targets: [{ provider: "sandbox", model: index < 2 ? "sandbox-status-500" : "sandbox-chat" }],
      parameters: { tools: true, vision: index % 2 === 0 },
      // Less than the request's bytes and more than its tokens: it is counted with care.
      contextLength: 1_000,
      maxOutputTokens: 500,
      prices: { input: index, output: index },
    })),
    auto: true,
  });
});
afterAll(() => gateway.stop());

const request = (path: string) => {
  const bodies: Readonly<Record<string, object>> = {
    "/v1/chat/completions": {
      messages: [{ role: "user", content: "word ".repeat(500) }],
      tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
    },
    "/v1/messages": {
      max_tokens: 100,
      messages: [{ role: "user", content: "word ".repeat(500) }],
      tools: [{ name: "look", input_schema: { type: "object" } }],
    },
    "/v1/responses": {
      input: "word ".repeat(500),
      tools: [{ type: "function", name: "look", parameters: { type: "object" } }],
    },
  };
  const body = JSON.stringify({ model: "auto", ...bodies[path] });
  return { method: "POST", headers: { "content-type": "application/json" }, body };
};

test.each(["/v1/chat/completions", "/v1/messages", "/v1/responses"])("auto over %s", async (path) => {
  const { key } = await gateway.newKey({ limits: { tokensPerMinute: 1_000_000 } });
  calls.clear();
  const { headers, ...rest } = request(path);
  const response = await gateway.fetch(path, { ...rest, headers: { ...headers, authorization: `Bearer ${key}` } });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  const attempts = Number(response.headers.get("x-service-attempts"));
  expect(attempts).toBeGreaterThan(1);
  const [read, expectedUsage, estimateInput, capabilities] = [1, 1, 1, 1];
  expect(Object.fromEntries(calls)).toMatchObject({ read, expectedUsage, estimateInput, capabilities });
  expect(calls.get("exchange")).toBeLessThanOrEqual(attempts);
});

test("the same for explain, which lists all of them", async () => {
  calls.clear();
  const response = await gateway.fetch("/api/routes/explain", request("/v1/chat/completions"));
  const { candidates } = (await response.json()) as { candidates: readonly object[] };
  expect(candidates.length).toBeGreaterThanOrEqual(models);
  const [read, expectedUsage, estimateInput, capabilities] = [1, 1, 1, 1];
  expect(Object.fromEntries(calls)).toMatchObject({ read, expectedUsage, estimateInput, capabilities });
});
