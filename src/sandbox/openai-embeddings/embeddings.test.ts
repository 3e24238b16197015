import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { type Sandbox, startSandbox } from "../server.ts";

let sandbox: Sandbox;
let client: OpenAI;
beforeAll(async () => {
  sandbox = await startSandbox();
  client = new OpenAI({ apiKey: "any", baseURL: `${sandbox.url}/v1`, maxRetries: 0 });
});
afterAll(() => sandbox.stop());

/** Returns the error of the SDK; null if there is none. */
function failure(call: PromiseLike<unknown>): PromiseLike<unknown> {
  return call.then(
    () => null,
    (error: unknown) => error,
  );
}

const model = "sandbox-embedding";

test("texts and tokens each get a vector, and the same input gets the same", async () => {
  const one = await client.embeddings.create({ model, input: "Hello" });
  const many = await client.embeddings.create({ model, input: ["Hello", "Goodbye"], encoding_format: "float" });
  expect(many.data.map(({ index }) => index)).toEqual([0, 1]);
  expect(many.data[0]?.embedding).toHaveLength(64);
  expect(many.data[1]?.embedding).not.toEqual(many.data[0]?.embedding ?? []);
  // The SDK requests base64 by default.
  expect(one.data[0]?.embedding).toEqual(many.data[0]?.embedding.map(Math.fround) ?? []);
  expect(Math.hypot(...(one.data[0]?.embedding ?? []))).toBeCloseTo(1, 5);
  expect(many.usage).toEqual({ prompt_tokens: 4, total_tokens: 4 });
  const tokens = await client.embeddings.create({ model, input: [[1, 2, 3], [4]], dimensions: 8 });
  expect(tokens.data.map(({ embedding }) => embedding.length)).toEqual([8, 8]);
  expect(tokens.usage.prompt_tokens).toBe(4);
});

test.each<[object, string]>([
  [{ input: undefined }, "input"],
  [{ input: "" }, "input"],
  [{ input: [] }, "input"],
  [{ input: ["a", ""] }, "input"],
  [{ input: [1.5] }, "input[0]"],
  [{ input: Array.from({ length: 2049 }, () => "a") }, "input"],
  [{ input: "x".repeat(4 * 8193) }, "input"],
  [{ dimensions: 0 }, "dimensions"],
  [{ encoding_format: "hex" }, "encoding_format"],
  [{ model: 5 }, "model"],
  [{ house_rule: 1 }, "house_rule"],
])("invalid request %# is rejected with the name of the field", async (fields, param) => {
  const response = await fetch(`${sandbox.url}/v1/embeddings`, {
    method: "POST",
    body: JSON.stringify({ model, input: "Hello", ...fields }),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { param } });
});

test("fault models work for embeddings", async () => {
  expect(await failure(client.embeddings.create({ model: "sandbox-status-429", input: "Hi" }))).toMatchObject({
    status: 429,
  });
  expect(await failure(client.embeddings.create({ model: "ada", input: "Hi" }))).toMatchObject({ status: 404 });
});
