import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { estimateTokens } from "../../src/metering/estimate.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { callers } from "../dialects/callers.testkit.ts";
import { dialects, modelOf, upstreamModels } from "../dialects/gateway.testkit.ts";
import { scripted } from "../dialects/post.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { createPayer, expectSoundBook, type Payer } from "./payer.testkit.ts";

/** Streams that their callers break off, after each event that the provider sends: what was produced is charged for, no more. */

const words = Array.from({ length: 12 }, (_, index) => `w${index}x`);
const text = words.join(" ");
const tokens = { input: 40, output: 30 };
/** Micro-USD of a token. */
const prices = { input: 1, output: 2 };
const credit = 1_000_000;

let gateway: TestGateway;
let storage: Storage;
let payer: Payer;
/** What any beginning of the text comes to. */
let possible: ReadonlySet<number>;
beforeAll(async () => {
  gateway = await startTestGateway({
    providers: (url) =>
      dialects.map((dialect) => {
        const baseUrl = dialect.startsWith("openai") ? url : url.replace(/\/v1$/, "");
        return { id: dialect, dialects: [dialect], baseUrl };
      }),
    models: dialects.map((dialect) => ({
      id: modelOf(dialect),
      targets: [{ provider: dialect, model: upstreamModels[dialect] }],
      parameters: {},
      prices: { input: prices.input * 1_000_000, output: prices.output * 1_000_000 },
      contextLength: 10_000,
      maxOutputTokens: 200,
    })),
    sandbox: { models: Object.fromEntries(Object.values(upstreamModels).map((model) => [model, {}])) },
  });
  storage = await openStorage(gateway.storageUrl);
  payer = await createPayer(gateway, storage, credit);
  const estimates = Array.from({ length: text.length + 1 }, (_, length) => estimateTokens(text.slice(0, length)));
  possible = new Set(await Promise.all(estimates));
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
});

const pairs = callers.flatMap((caller) => dialects.map((dialect) => ({ caller, dialect, name: caller.name })));

describe.each(pairs)("$name, of $dialect", ({ caller, dialect }) => {
  test("a stream that is left after each of the provider's events is charged for what was produced", async () => {
    let charged = 0;
    for (let events = 1; ; events++) {
      const script = { text, chunks: words.length, tokens, fault: { kind: "stall", after: events } };
      const controller = new AbortController();
      const before = gateway.sandbox.requests.length;
      const model = modelOf(dialect);
      const asking = gateway.fetch(caller.path(model, true), {
        method: "POST",
        headers: { authorization: `Bearer ${payer.key}`, "content-type": "application/json" },
        body: JSON.stringify(caller.body(model, scripted(script), { stream: true })),
        signal: controller.signal,
      });
      const response = await asking;
      const id = response.headers.get("x-service-request-id") ?? "";
      const { heard, isWhole } = await hear(response, () => gateway.sandbox.requests[before]?.writesSent ?? 0, events);
      controller.abort();
      const { status, usage, billing } = await gateway.eventualRecord(id, payer.key);
      const output = usage.measurement?.output;
      const produced = usage.completion_tokens;
      if (output === "provider") expect(produced).toBe(tokens.output);
      else {
        // A first count of the provider's own may be all there is.
        expect(produced <= 1 || possible.has(produced)).toBe(true);
        const received = words.slice(0, Math.max(0, heard - 1)).join(" ");
        expect(produced).toBeGreaterThanOrEqual(await estimateTokens(received));
      }
      expect(billing.amount_microusd).toBe(usage.prompt_tokens * prices.input + produced * prices.output);
      expect(billing.amount_microusd).toBeLessThanOrEqual(billing.held_microusd);
      charged += billing.amount_microusd;
      if (isWhole || status === "succeeded") break;
      expect(status).toBe("cancelled");
      expect(events).toBeLessThan(60);
    }
    expect(charged).toBeGreaterThan(0);
    await expectSoundBook(storage);
  });
});

/** Reads until the provider has sent its events, and what came by then. @returns how many words of the text came */
async function hear(response: Response, sent: () => number, events: number) {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let stream = "";
  let isWhole = false;
  if (reader === undefined) throw new Error("The answer has no body.");
  for (;;) {
    const piece = await Promise.race([reader.read(), Bun.sleep(sent() >= events ? 20 : 5_000).then(() => null)]);
    if (piece === null) break;
    isWhole = piece.done;
    if (piece.done) break;
    stream += decoder.decode(piece.value, { stream: true });
  }
  return { heard: words.filter((word) => stream.includes(word)).length, isWhole };
}
