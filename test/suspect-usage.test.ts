import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway, type TestRecord } from "./gateway.ts";
import { idOf } from "./sse-text.ts";

/** A provider that reports more than is possible is charged for what is possible, and the record says `suspect`. */

let gateway: TestGateway;
const targets = [{ provider: "sandbox", model: "sandbox-chat" }];
const prices = { input: 1_000_000, output: 2_000_000 };

beforeAll(async () => {
  gateway = await startTestGateway({
    models: [
      { id: "small", targets, prices, contextLength: 1_000, maxOutputTokens: 100 },
      { id: "unknown", targets, prices, contextLength: null, maxOutputTokens: null },
    ],
  });
});
afterAll(() => gateway.stop());

async function ask(body: object): Promise<TestRecord["billing"] & { readonly suspect?: boolean }> {
  const response = await gateway.chat({ ...body });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  const record = await gateway.record(idOf(response));
  const lines = record.billing.line_items.reduce((sum, line) => sum + line.amount_microusd, 0);
  expect(record.billing.amount_microusd).toBe(lines);
  return record.billing;
}

const reports = (input: number, output: number) => ({ tokens: { input, output } });

describe.each([false, true])("streamed: %p", (stream) => {
  test("output beyond the limit that was sent is lowered to it", async () => {
    const within = await ask({ model: "unknown", stream, max_tokens: 10, sandbox: reports(50, 10) });
    expect([within.amount_microusd, within.suspect]).toEqual([70, undefined]);
    const beyond = await ask({ model: "unknown", stream, max_tokens: 10, sandbox: reports(50, 11) });
    expect([beyond.amount_microusd, beyond.suspect]).toEqual([70, true]);
    const several = await ask({ model: "unknown", stream, max_tokens: 10, n: 2, sandbox: reports(50, 25) });
    expect([several.amount_microusd, several.suspect]).toEqual([90, true]);
  });

  test("input beyond the model's context length is lowered to it", async () => {
    const beyond = await ask({ model: "small", stream, sandbox: reports(1_001, 10) });
    expect([beyond.amount_microusd, beyond.suspect]).toEqual([1_020, true]);
  });
});

test("a limit above the model's own is the model's, and without one the context length bounds the output", async () => {
  const limited = await ask({ model: "small", max_tokens: 5_000, sandbox: reports(50, 900) });
  expect([limited.amount_microusd, limited.suspect]).toEqual([250, true]);
  const unlimited = await ask({ model: "small", sandbox: reports(50, 900) });
  expect([unlimited.amount_microusd, unlimited.suspect]).toEqual([1_850, undefined]);
  const absurd = await ask({ model: "small", sandbox: reports(50, 900_000_000) });
  expect([absurd.amount_microusd, absurd.suspect]).toEqual([2_050, true]);
});

test("nothing bounds what nobody knows", async () => {
  const billing = await ask({ model: "unknown", sandbox: reports(5_000_000, 900_000) });
  expect([billing.amount_microusd, billing.suspect]).toEqual([6_800_000, undefined]);
});

test("what a gateway counts itself is never suspect", async () => {
  const billing = await ask({ model: "small", max_tokens: 1, sandbox: { usage: null, text: "one two three four" } });
  expect(billing.suspect).toBeUndefined();
});
