import { expect, test } from "bun:test";
import { buildPrices } from "../billing/prices/build-prices.ts";
import { exampleBook } from "../billing/prices/price-book.testkit.ts";
import { exampleUsage } from "../conversation/usage.testkit.ts";
import { exampleRecord } from "../records/example-record.testkit.ts";
import type { UsageRecord } from "../records/record.ts";
import { exampleCandidate, simulatedClock } from "../routing/choice/candidate.testkit.ts";
import { targetKey } from "../billing/prices/price-table.ts";
import { finishJob } from "./finish-job.ts";
import type { Services } from "./services.ts";

/** The charge of a job that began with a hold, and whose provider reports a cost of 5 USD. */
async function chargeOf(mode: "prepaid" | "unlimited", heldMicrousd: number): Promise<number | undefined> {
  const record = exampleRecord({ status: "pending", heldMicrousd });
  const { model } = exampleCandidate(simulatedClock(), record.routing.resolvedModel ?? "m");
  const prices = { ...buildPrices({ input: 0, output: 0 }), isProviderCost: true };
  const account = { id: record.accountId, name: "a", mode, markupBasisPoints: 0, createdAt: 1 };
  const committed: UsageRecord[] = [];
  const services = {
    recorder: { find: async () => record, commit: async (final: UsageRecord) => void committed.push(final) },
    catalog: { find: () => model },
    prices: { at: async () => ({ version: 1, pricesOf: () => prices }) },
    accounts: { find: () => account },
  };
  const usage = exampleUsage({ input: 1, output: 1 }, { raw: { cost: 5 } });
  // What a job's end needs of the services.
  await finishJob(services as unknown as Services, record.keyId, { id: record.id, status: "succeeded", usage });
  return committed[0]?.billing.amountMicrousd;
}

test("a job of a prepaid account is charged no more than was held, also if that was nothing", async () => {
  expect(await chargeOf("prepaid", 1_000)).toBe(1_000);
  expect(await chargeOf("prepaid", 0)).toBe(0);
});

test("a job of an unlimited account is charged what it cost, unless a budget held an amount", async () => {
  expect(await chargeOf("unlimited", 0)).toBe(5_000_000);
  expect(await chargeOf("unlimited", 1_000)).toBe(1_000);
});

test.each([
  ["the model's price", { "film-model": { input: 2_000_000 } }],
  ["the price of its target", { [targetKey("film-model", "studio/film-1")]: { input: 2_000_000 } }],
])("a job whose model has left the configuration is charged %s of its own version", async (_, prices) => {
  const example = exampleRecord({ status: "pending" });
  const [attempt] = example.attempts;
  if (!attempt) throw new Error("The example has no attempt.");
  const record: UsageRecord = {
    ...example,
    routing: { ...example.routing, resolvedModel: "film-model", provider: "studio" },
    attempts: [{ ...attempt, outcome: "answered", provider: "studio", upstreamModel: "film-1" }],
  };
  const committed: UsageRecord[] = [];
  const services = {
    recorder: { find: async () => record, commit: async (final: UsageRecord) => void committed.push(final) },
    catalog: { find: () => null },
    prices: { at: async () => exampleBook(prices) },
    accounts: { find: () => ({ mode: "unlimited", markupBasisPoints: 0 }) },
  };
  const usage = exampleUsage({ input: 1_000 });
  // What a job's end needs of the services.
  await finishJob(services as unknown as Services, record.keyId, { id: record.id, status: "succeeded", usage });
  expect(committed[0]?.billing).toMatchObject({ status: "charged", amountMicrousd: 2_000 });
});
