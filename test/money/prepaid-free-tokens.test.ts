import { afterAll, beforeAll, expect, test } from "bun:test";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { type HostileProvider, startHostileProvider } from "../attacks/hostile-provider.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { createPayer, expectSoundBook } from "./payer.testkit.ts";

/** A request that can cost nothing by the model's prices holds nothing: then it must not cost anything either. */

const completion = {
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "Hello." }, finish_reason: "stop" }],
  usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, cost: 5 },
};

let provider: HostileProvider;
let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  provider = await startHostileProvider({
    chat: (answer) =>
      void answer.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(completion)),
  });
  gateway = await startTestGateway({
    providers: () => [{ id: "reseller", baseUrl: provider.urlOf("chat") }],
    models: [
      {
        id: "free-tokens",
        targets: [{ provider: "reseller", model: "m" }],
        contextLength: 1_000,
        maxOutputTokens: 100,
        prices: { input: 0, output: 0, cost: "provider" },
      },
    ],
  });
  storage = await openStorage(gateway.storageUrl);
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
  await provider.stop();
});

const body = { model: "free-tokens", messages: [{ role: "user", content: "Hello!" }] };

test("a prepaid balance never pays what was not held, also if nothing was to be held", async () => {
  const payer = await createPayer(gateway, storage, 100);
  const { status, record } = await payer.post("/v1/chat/completions", body);
  expect(status).toBe(200);
  expect(record.billing).toMatchObject({ amount_microusd: 0, held_microusd: 0, suspect: true });
  expect(await payer.account()).toMatchObject({ balance_microusd: 100 });
  await expectSoundBook(storage);
});

test("an unlimited account pays what the provider reports", async () => {
  const payer = await createPayer(gateway, storage, 0, { mode: "unlimited" });
  const { record } = await payer.post("/v1/chat/completions", body);
  expect(record.billing).toMatchObject({ amount_microusd: 5_000_000 });
});
