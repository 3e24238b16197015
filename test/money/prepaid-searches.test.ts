import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { type HostileProvider, startHostileProvider } from "../attacks/hostile-provider.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { createPayer, expectSoundBook } from "./payer.testkit.ts";

/** What a prepaid account pays for the searches that a provider runs within an answer. */

/** Searches that the provider reports for each answer. */
const searches = 3;
const price = 10_000;

const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "m",
  content: [{ type: "text", text: "Found." }],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 5, server_tool_use: { web_search_requests: searches } },
};
const search = { type: "web_search_call", status: "completed", action: { type: "search", query: "toll" } };
const response = {
  id: "resp_1",
  object: "response",
  created_at: 1,
  status: "completed",
  model: "m",
  output: Array.from({ length: searches }, (_, index) => ({ ...search, id: `ws_${index}` })),
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
};

let provider: HostileProvider;
let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  provider = await startHostileProvider({
    messages: (answer) =>
      void answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(message)),
    responses: (answer) =>
      void answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(response)),
  });
  const model = { contextLength: 100_000, maxOutputTokens: 1_000 };
  const free = { input: 0, output: 0 };
  const prices = { ...free, web_search: price };
  gateway = await startTestGateway({
    providers: () => [
      { id: "anthropic", dialects: ["anthropic-messages"], baseUrl: provider.urlOf("messages") },
      { id: "openai", dialects: ["openai-responses"], baseUrl: provider.urlOf("responses") },
    ],
    models: [
      { ...model, id: "claude", targets: [{ provider: "anthropic", model: "m" }], prices },
      { ...model, id: "gpt", targets: [{ provider: "openai", model: "m" }], prices },
      { ...model, id: "gpt-without-price", targets: [{ provider: "openai", model: "m" }], prices: free },
    ],
  });
  storage = await openStorage(gateway.storageUrl);
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
  await provider.stop();
});

const payer = () => createPayer(gateway, storage, 10_000_000);
const messages = (tools: readonly object[]) => ({
  model: "claude",
  max_tokens: 10,
  messages: [{ role: "user", content: "Find it." }],
  tools,
});
const webSearch = { type: "web_search_20250305", name: "web_search" };

describe("the searches of a prepaid request", () => {
  test("are held as many as the request allows, and those that were made are paid", async () => {
    const by = await payer();
    const { status, record } = await by.post("/v1/messages", messages([{ ...webSearch, max_uses: 5 }]));
    expect(status).toBe(200);
    expect(record.billing).toMatchObject({ status: "charged", amount_microusd: searches * price });
    expect(record.billing.suspect).toBeUndefined();
    expect(record.billing.held_microusd).toBeGreaterThanOrEqual(5 * price);
    expect(record.billing.held_microusd).toBeLessThan(6 * price);
  });

  test("are at most as many as the request allows, whatever the provider reports", async () => {
    const by = await payer();
    const { record } = await by.post("/v1/messages", messages([{ ...webSearch, max_uses: 2 }]));
    expect(record.billing).toMatchObject({ amount_microusd: 2 * price, suspect: true });
  });

  test("are held and paid also if the request does not limit them", async () => {
    const by = await payer();
    const asked = { model: "gpt", input: "Find it.", max_output_tokens: 16, tools: [{ type: "web_search" }] };
    const { record } = await by.post("/v1/responses", asked);
    expect(record.billing).toMatchObject({ amount_microusd: searches * price });
    expect(record.billing.held_microusd).toBe(100 * price + 6);
    const limited = await by.post("/v1/responses", { ...asked, max_tool_calls: 4 });
    expect(limited.record.billing).toMatchObject({ amount_microusd: searches * price, held_microusd: 4 * price + 6 });
  });

  test("hold nothing at a model that has no price for them", async () => {
    const by = await payer();
    const asked = { input: "Find it.", max_output_tokens: 16, tools: [{ type: "web_search" }] };
    const { status, record } = await by.post("/v1/responses", { ...asked, model: "gpt-without-price" });
    expect(status).toBe(200);
    expect(record.billing).toMatchObject({ status: "unpriced", amount_microusd: 0, held_microusd: 0 });
  });

  test("are in the quote", async () => {
    const by = await payer();
    const body = messages([{ ...webSearch, max_uses: 5 }]);
    const answer = await gateway.fetch("/api/quote", {
      method: "POST",
      headers: { authorization: `Bearer ${by.key}`, "content-type": "application/json" },
      body: JSON.stringify({ path: "/v1/messages", body }),
    });
    expect(await answer.json()).toMatchObject({ greatest: { amount_microusd: 5 * price + 6 } });
  });

  test("leave a book that adds up", () => expectSoundBook(storage));
});
