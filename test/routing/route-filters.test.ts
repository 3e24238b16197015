import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { askedOf, errorOf, modelOf, policy } from "./routing.testkit.ts";

/** Exclusions, and the error if no candidate is left. */

const all = { tools: true, vision: true, json_schema: true };
const prices = (each: number) => ({ input: each, output: each });

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    models: [
      modelOf("bare", { parameters: { tools: false, vision: false, json_schema: false }, prices: prices(10_000) }),
      modelOf("silent", { parameters: {}, prices: prices(20_000) }),
      modelOf("able", { parameters: all, prices: prices(40_000) }),
      modelOf("short", { parameters: all, contextLength: 100, prices: prices(150_000) }),
      modelOf("embedder", { endpoints: ["embeddings"], parameters: {} }),
    ],
    routes: [
      policy("any", ["bare", "silent", "able"]),
      policy("none", ["bare", "short"]),
      policy("strict", ["silent", "able"], { requires: ["vision"] }),
      policy("too-strict", ["silent", "able"], { requires: ["audio_input"] }),
      policy("long", ["short", "able"]),
      policy("odd", ["embedder", "bare"]),
    ],
    auto: true,
    sandbox: { models: { "bare-up": {}, "silent-up": {}, "able-up": {}, "short-up": {} } },
  });
});
afterAll(() => gateway.stop());
afterEach(() => gateway.sandbox.reset());

const tools = { tools: [{ type: "function", function: { name: "f", parameters: { type: "object" } } }] };
const schema = { response_format: { type: "json_schema", json_schema: { name: "s", schema: { type: "object" } } } };
const image = { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } };
const vision = { messages: [{ role: "user", content: [{ type: "text", text: "What is this?" }, image] }] };
const long = { messages: [{ role: "user", content: "Some words, again and again. ".repeat(200) }] };

async function answererOf(body: object): Promise<string | null> {
  const response = await gateway.chat(body as Record<string, unknown>);
  const text = await response.text();
  expect([response.status, response.status === 200 ? "" : text]).toEqual([200, ""]);
  return gateway.sandbox.requests.at(-1)?.model ?? null;
}

describe("a policy excludes", () => {
  test.each<[string, object]>([
    ["tools", tools],
    ["images", vision],
    ["a JSON schema", schema],
  ])("models that are declared not to support a feature of the request: %s", async (_what, fields) => {
    expect(await answererOf({ model: "any", ...fields })).toBe("silent-up");
    expect(await answererOf({ model: "any" })).toBe("bare-up");
  });

  test("models that do not declare what the policy requires", async () => {
    expect(await answererOf({ model: "strict" })).toBe("able-up");
  });

  test("models with a context shorter than the request", async () => {
    expect(await answererOf({ model: "long", ...long })).toBe("able-up");
    expect(await answererOf({ model: "long" })).toBe("short-up");
  });

  test("models that do not serve the endpoint", async () => {
    expect(await answererOf({ model: "odd" })).toBe("bare-up");
  });
});

describe("if no candidate is left", () => {
  test("the error names each exclusion", async () => {
    const error = await errorOf(await gateway.chat({ model: "none", ...long, ...tools }));
    expect(error).toMatchObject({ status: 400, type: "invalid_request_error", code: "unsupported_parameter" });
    expect(error.message).toStartWith("No model behind 'none' can take this request (");
    expect(error.message).toMatch(/bare: .*'bare'.*tools/);
    expect(error.message).toMatch(/short: .*about \d+ tokens.*'short' reads at most 100 tokens/);
    expect(askedOf(gateway)).toEqual([]);
  });

  test("a common code is used", async () => {
    const error = await errorOf(await gateway.chat({ model: "short", ...long }));
    expect(error).toMatchObject({ status: 400, code: "context_length_exceeded", param: "model" });
    const required = await errorOf(await gateway.chat({ model: "too-strict" }));
    expect(required).toMatchObject({ status: 400, code: "unsupported_parameter" });
    expect(required.message).toContain("The model 'able' does not declare 'audio_input', which 'too-strict' requires.");
  });

  test("the record is a refusal with the policy's strategy", async () => {
    const response = await gateway.chat({ model: "none", ...tools, ...long });
    expect(response.headers.get("x-service-attempts")).toBe("0");
    expect(await gateway.record(response.headers.get("x-service-request-id"))).toMatchObject({
      status: "refused",
      billing: { amount_microusd: 0 },
      routing: { strategy_name: "priority", requested_model: "none", resolved_model: null, attempts: 0 },
    });
  });
});

describe("auto", () => {
  test("asks the cheapest, and the record shows it", async () => {
    const response = await gateway.chat({ model: "auto" });
    await response.json();
    const { routing } = await gateway.record(response.headers.get("x-service-request-id"));
    expect(routing).toMatchObject({
      strategy_name: "lowest_cost",
      requested_model: "auto",
      resolved_model: "bare",
      attempts: 1,
    });
  });

  test.each<[string, object]>([
    ["tools", tools],
    ["a JSON schema", schema],
  ])("asks only models that declare what the request needs: %s", async (_what, fields) => {
    // A cheaper one does not declare it and is not asked.
    expect(await answererOf({ model: "auto", ...fields })).toBe("short-up");
  });

  test("asks only models with enough context", async () => {
    expect(await answererOf({ model: "auto", ...tools, ...long })).toBe("able-up");
    // An image counts as many tokens.
    expect(await answererOf({ model: "auto", ...vision })).toBe("able-up");
  });

  test("is an ordinary name if it is disabled", async () => {
    const off = await startTestGateway();
    try {
      expect(await errorOf(await off.chat({ model: "auto" }))).toMatchObject({ status: 404, code: "model_not_found" });
    } finally {
      await off.stop();
    }
  });
});
