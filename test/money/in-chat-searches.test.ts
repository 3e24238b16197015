import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { chatCaller, messagesCaller } from "../dialects/callers.testkit.ts";
import { requestIdOf, scripted } from "../dialects/post.testkit.ts";
import type { TestGateway, TestRecord } from "../gateway.testkit.ts";
import {
  callers,
  dialects,
  maxRounds,
  modelOf,
  prices,
  searchingScript,
  searchTool,
  startSearchingGateway,
} from "../search/in-chat.testkit.ts";
import { createPayer, expectSoundBook, type Payer } from "./payer.testkit.ts";

/** What a prepaid account pays for conversations whose web search the gateway runs. */
let gateway: TestGateway;
let storage: Storage;
beforeAll(async () => {
  gateway = await startSearchingGateway();
  storage = await openStorage(gateway.storageUrl);
});
beforeEach(() => gateway.sandbox.reset());
afterAll(async () => {
  await storage.close();
  await gateway.stop();
});

const model = modelOf("openai-chat");
const tokens = { input: 40, output: 10 };
const body = (script: object, more: object = {}) =>
  messagesCaller.body(model, scripted(script), { more: { max_tokens: 100, ...searchTool(messagesCaller), ...more } });
const sums = ({ billing }: TestRecord) => billing.line_items.reduce((sum, line) => sum + line.amount_microusd, 0);

describe("a prepaid account", () => {
  test("holds for all rounds and searches, and pays for those that were", async () => {
    const payer = await createPayer(gateway, storage, 1_000_000);
    const { status, record } = await payer.post("/v1/messages", body(searchingScript("Done.", ["coffee"], { tokens })));
    expect(status).toBe(200);
    expect(record.billing).toMatchObject({ amount_microusd: 80 + 20 * prices.output + prices.search });
    expect(record.billing.suspect).toBeUndefined();
    const written = 100 * (1 + maxRounds) * prices.output;
    // At the most units of the backend, which are two.
    const searched = 2 * maxRounds * prices.search;
    expect(record.billing.held_microusd).toBeGreaterThan(written + searched);
    expect(record.billing.held_microusd).toBeLessThan(written + searched + 4 * 50_000 * prices.input);
    expect(await payer.account()).toMatchObject({
      balance_microusd: 1_000_000 - record.billing.amount_microusd,
      held_microusd: 0,
    });
    await expectSoundBook(storage);
  });

  test("holds for fewer if its tool says so", async () => {
    const payer = await createPayer(gateway, storage, 1_000_000);
    const held = async (maxUses: number) => {
      const more = searchTool(messagesCaller, { max_uses: maxUses });
      return (await payer.post("/v1/messages", body({ text: "Done." }, more))).record.billing.held_microusd;
    };
    expect(await held(1)).toBeLessThan((await held(2)) - 2 * prices.search);
    expect(await held(3)).toBe(await held(9));
  });

  test("is quoted what would be held", async () => {
    const payer = await createPayer(gateway, storage, 1_000_000);
    const asked = body({ text: "Done." });
    const { record } = await payer.post("/v1/messages", asked);
    const answer = await gateway.fetch("/api/quote", {
      method: "POST",
      headers: { authorization: `Bearer ${payer.key}`, "content-type": "application/json" },
      body: JSON.stringify({ path: "/v1/messages", body: asked }),
    });
    const { greatest } = (await answer.json()) as {
      greatest: { amount_microusd: number; line_items: { dimension: string; amount_microusd: number }[] };
    };
    expect(greatest.amount_microusd).toBe(record.billing.held_microusd);
    expect(greatest.line_items.reduce((sum, line) => sum + line.amount_microusd, 0)).toBe(greatest.amount_microusd);
    expect(greatest.line_items.map(({ dimension }) => dimension)).toContain("web_search");
  });

  test("that does not cover the searches is refused before anyone is asked", async () => {
    const payer = await createPayer(gateway, storage, prices.search);
    const { status, text } = await payer.post("/v1/messages", body({ text: "Done." }));
    expect([status, text]).toEqual([402, expect.stringContaining("does not cover")]);
    expect(gateway.sandbox.requests).toHaveLength(0);
    await expectSoundBook(storage);
  });

  test("pays its markup on the searches too", async () => {
    const payer = await createPayer(gateway, storage, 1_000_000, { markup: 1_000 });
    const { record } = await payer.post("/v1/messages", body(searchingScript("Done.", ["coffee"], { tokens })));
    const plain = 80 + 20 * prices.output + prices.search;
    expect(record.billing.amount_microusd).toBe(plain + plain / 10);
    await expectSoundBook(storage);
  });

  test("is not served by backends without a price", async () => {
    const own = await startSearchingGateway({
      backends: (url) => [
        {
          id: "free",
          provider: "tavily",
          baseUrl: `${url.replace(/\/v1$/, "")}/search/tavily`,
          apiKeys: ["k"],
          prices: null,
        },
      ],
    });
    const ownStorage = await openStorage(own.storageUrl);
    try {
      const prepaid = await createPayer(own, ownStorage, 1_000_000);
      const refused = await prepaid.post("/v1/messages", body({ text: "Done." }));
      expect([refused.status, refused.text]).toEqual([402, expect.stringContaining("search")]);
      const unlimited = await createPayer(own, ownStorage, 0, { mode: "unlimited" });
      const { record } = await unlimited.post("/v1/messages", body(searchingScript("Done.", ["coffee"], { tokens })));
      expect(record.billing).toMatchObject({ status: "unpriced", amount_microusd: 120 });
    } finally {
      await ownStorage.close();
      await own.stop();
    }
  });
});

describe("the tier of a model's prices", () => {
  test("is that of its largest round, not of all of them together", async () => {
    const tiered = { input: 1_000_000, output: 2_000_000, tiers: [{ above_input_tokens: 60, input: 9_000_000 }] };
    const own = await startSearchingGateway({
      models: [
        {
          id: "m",
          targets: [{ provider: "openai-chat", model: "deepseek-reasoner" }],
          parameters: {},
          webSearch: { backend: "auto", maxRounds },
          prices: tiered,
        },
      ],
    });
    try {
      const amountOf = async (input: number) => {
        const script = searchingScript("Done.", ["coffee"], { tokens: { input, output: 10 } });
        const response = await own.chat({
          model: "m",
          web_search_options: {},
          messages: [{ role: "user", content: scripted(script) }],
        });
        expect(response.status).toBe(200);
        return (await own.record(requestIdOf(response))).billing.amount_microusd - prices.search;
      };
      expect(await amountOf(40)).toBe(80 + 40);
      expect(await amountOf(70)).toBe(140 * 9 + 40);
    } finally {
      await own.stop();
    }
  });
});

describe.each([callers[0], callers[1], callers[2], callers[3]])("a stream of $name", (caller) => {
  test("that is left after each of the provider's events is charged for what was produced in all rounds", async () => {
    const payer = await createPayer(gateway, storage, 10_000_000);
    for (const round of [0, 1]) {
      for (let events = 1; events < 9; events++) {
        const script = searchingScript("One two three four five.", ["coffee"], { tokens });
        const turns = script.turns.map((turn, index) =>
          index === round ? { ...turn, fault: { kind: "stall", after: events } } : turn,
        );
        const before = gateway.sandbox.requests.length;
        const asked = 2 * round + 1;
        const record = await leave(payer, caller.path(model, true), { turns }, before + asked, events);
        check(record);
        // Some rounds have fewer events, and end.
        if (record.status === "succeeded") continue;
        expect(record.status).toBe("cancelled");
        const searches = record.usage.dimensions.filter(({ name }) => name === "web_search");
        const paths = gateway.sandbox.requests.slice(before).map(({ path }) => path);
        if (!paths.some((path) => path.includes("/search/"))) expect(searches).toEqual([]);
        else if (round === 1 && record.billing.amount_microusd > 0) {
          expect(searches).toMatchObject([{ quantity: 1 }]);
          // The first round, and what the second one has read at least.
          expect(record.usage.prompt_tokens).toBeGreaterThanOrEqual(80);
        }
      }
    }
    await expectSoundBook(storage);
  });

  async function leave(payer: Payer, path: string, script: object, awaited: number, events: number) {
    const controller = new AbortController();
    const response = await Promise.race([
      gateway.fetch(path, {
        method: "POST",
        headers: { authorization: `Bearer ${payer.key}`, "content-type": "application/json" },
        body: JSON.stringify(caller.body(model, scripted(script), { stream: true, more: searchTool(caller) })),
        signal: controller.signal,
      }),
      Bun.sleep(3_000).then(() => null),
    ]);
    if (response === null) throw new Error("There was no answer.");
    const reader = response.body?.getReader();
    for (;;) {
      const last = gateway.sandbox.requests[awaited - 1];
      const isThere = gateway.sandbox.requests.length >= awaited && (last?.writesSent ?? 0) >= events;
      const piece = await Promise.race([reader?.read(), Bun.sleep(isThere ? 20 : 1_000).then(() => null)]);
      if (piece === null) break;
      if (piece?.done === true) break;
    }
    controller.abort();
    return gateway.eventualRecord(requestIdOf(response), payer.key);
  }
});

/** What holds of every record, however its request went. */
function check(record: TestRecord): void {
  const { billing, usage } = record;
  expect(sums(record)).toBe(billing.amount_microusd);
  expect(billing.amount_microusd).toBeLessThanOrEqual(billing.held_microusd);
  expect(billing.suspect).toBeUndefined();
  if (billing.status !== "charged") return;
  const searches = usage.dimensions.find(({ name }) => name === "web_search")?.quantity ?? 0;
  const own = usage.prompt_tokens * prices.input + usage.completion_tokens * prices.output;
  expect(billing.amount_microusd).toBe(own + searches * prices.search);
}

const fault = fc.constantFrom(null, "status", "cut", "error_event", "malformed_json");
const turn = fc.record({
  calls: fc.array(fc.constantFrom("coffee", "harvest", "", "tea of no page"), { maxLength: 4 }),
  says: fc.constantFrom("", "So [1]. ", "Well, well."),
  fault,
});

test("the book balances whatever the model and the backends do", async () => {
  const payer = await createPayer(gateway, storage, 50_000_000);
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(...callers),
      fc.constantFrom(...dialects),
      fc.boolean(),
      fc.constantFrom(null, "main", "both"),
      async (turns, caller, dialect, stream, broken) => {
        gateway.sandbox.reset();
        for (const id of broken === null ? [] : broken === "main" ? ["main"] : ["main", "spare"]) {
          gateway.sandbox.setModel(`search/tavily@${id}`, { fault: { kind: "status", status: 503 } });
        }
        const script = {
          turns: [...turns, { says: "The end.", calls: [], fault: null }].map(({ calls, says, fault: kind }) => ({
            ...(says === "" && calls.length > 0 ? {} : { text: says === "" ? "Hm." : says }),
            ...(calls.length > 0 && {
              tool_calls: calls.map((query) => ({ name: "web_search", arguments: { query } })),
            }),
            ...(kind !== null && { fault: kind === "status" ? { kind, status: 500 } : { kind } }),
          })),
        };
        const response = await gateway.fetch(caller.path(modelOf(dialect), stream), {
          method: "POST",
          headers: { authorization: `Bearer ${payer.key}`, "content-type": "application/json" },
          body: JSON.stringify(caller.body(modelOf(dialect), scripted(script), { stream, more: searchTool(caller) })),
        });
        await response.text();
        const record = await gateway.eventualRecord(requestIdOf(response), payer.key);
        check(record);
        if (record.status === "failed") expect(record.billing.amount_microusd).toBe(0);
      },
    ),
    { numRuns: 60 },
  );
  await expectSoundBook(storage);
  expect(await payer.account()).toMatchObject({ held_microusd: 0 });
});

test("a chat caller without a limit of its own is served too", async () => {
  const payer = await createPayer(gateway, storage, 10_000_000);
  const asked = chatCaller.body(model, scripted(searchingScript("Done.", ["coffee"], { tokens })), {
    more: searchTool(chatCaller),
  });
  const { status, record } = await payer.post("/v1/chat/completions", asked);
  expect(status).toBe(200);
  check(record);
});
