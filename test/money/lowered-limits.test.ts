import { afterAll, beforeAll, expect, test } from "bun:test";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { createPayer, expectSoundBook, type Payer } from "./payer.testkit.ts";

/** Where a balance covers a part of an answer, the request is given a lower limit, on every operation that writes text. */

const limits = { contextLength: 100_000, maxOutputTokens: 1_000, prices: { input: 0, output: 10_000_000 } } as const;

let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  const root = (url: string) => url.replace(/\/v1$/, "");
  gateway = await startTestGateway({
    providers: (url) => [
      { id: "responses", dialects: ["openai-responses"] },
      { id: "anthropic", dialects: ["anthropic-messages"], baseUrl: root(url) },
    ],
    models: [
      { ...limits, id: "base", endpoints: ["completions"], targets: [{ provider: "sandbox", model: "sandbox-chat" }] },
      ...["responses", "anthropic"].map((provider) => ({
        ...limits,
        id: `by-${provider}`,
        endpoints: ["responses"],
        targets: [{ provider, model: "sandbox-chat" }],
      })),
    ],
  });
  storage = await openStorage(gateway.storageUrl);
});
afterAll(async () => {
  await storage.close();
  await gateway.stop();
});

const payer = (balance: number): Promise<Payer> => createPayer(gateway, storage, balance);
const sent = () => gateway.sandbox.requests.at(-1);
const sentBody = (): unknown => JSON.parse(new TextDecoder().decode(sent()?.body));
const complete = (by: Payer, body: object) =>
  by.post("/v1/completions", { model: "base", prompt: "Once upon a time", ...body });
const compact = (by: Payer, model: string) =>
  by.post("/v1/responses/compact", { model, input: [{ type: "message", role: "user", content: "I am Ann." }] });

/** What 4,000 micro-USD buy beside the rounding. */
const covered = "399";

test("completions: with and without a limit of the caller's own, and not below the minimum", async () => {
  const asked = await complete(await payer(4_000), { max_tokens: 900 });
  expect([asked.status, asked.limit, asked.warnings]).toEqual([200, covered, "max_tokens"]);
  expect(sentBody()).toMatchObject({ model: "sandbox-chat", max_tokens: Number(covered) });

  const without = await complete(await payer(4_000), {});
  expect([without.status, without.limit]).toEqual([200, covered]);
  expect(sentBody()).toMatchObject({ max_tokens: Number(covered) });

  const several = await complete(await payer(6_006), { n: 2, max_tokens: 900 });
  expect([several.status, several.limit]).toEqual([200, "300"]);

  expect((await complete(await payer(2_000), { max_tokens: 900 })).status).toBe(402);
});

test("completions: a limit above the model's own is lowered to that, for any account", async () => {
  const rich = await complete(await payer(1_000_000), { max_tokens: 5_000 });
  expect([rich.status, rich.limit, rich.warnings]).toEqual([200, null, "max_tokens"]);
  expect(sentBody()).toMatchObject({ max_tokens: 1_000 });
});

test("a compaction: by a model that is asked for a summary, which any provider can be limited in", async () => {
  for (const model of ["by-responses", "by-anthropic"]) {
    const { status, limit, text } = await compact(await payer(4_000), model);
    expect([status, limit]).toEqual([200, covered]);
    expect(JSON.parse(text)).toMatchObject({ object: "response.compaction", output: [{ type: "compaction" }] });
    expect(JSON.stringify(sentBody())).toContain("Summarize the conversation so far");
    expect(JSON.stringify(sentBody())).toContain(covered);
  }
  const rich = await compact(await payer(1_000_000), "by-responses");
  expect([rich.status, rich.limit, sent()?.path]).toEqual([200, null, "/v1/responses/compact"]);
  expect((await compact(await payer(2_000), "by-responses")).status).toBe(402);
});

test("the book adds up", () => expectSoundBook(storage));
