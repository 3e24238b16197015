import { expect, test } from "bun:test";
import { buildPrices } from "../../billing/price-list.ts";
import { exampleCandidate, simulatedClock } from "../../routing/choice/candidate.testkit.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { beginAttempt } from "./attempt.ts";
import { recordAttempts } from "./attempt-costs.ts";

const clock = simulatedClock();
const candidate = exampleCandidate(clock, "m");
const begin = () => beginAttempt(clock, candidate, 0);
const prices = { version: 1, models: { m: buildPrices({ input: 1_000_000, output: 2_000_000 }) } };
const usage = {
  dimensions: [{ name: "output", quantity: 5, unit: "token" }],
  measurement: { input: "provider", output: "provider" },
} as const;

test("each attempt has cost what its provider was given to do, and the answer what it comes to", () => {
  const refused = begin();
  refused.failed(new UpstreamFault("status", "No.", { status: 500 }));
  const unreachable = begin();
  unreachable.failed(new UpstreamFault("unreachable", "Nobody there."));
  const tooSlow = begin();
  tooSlow.failed(new UpstreamFault("first_byte_timeout", "Too slow."));
  const lost = begin();
  lost.abandoned("lost");
  const answered = begin();
  answered.answered();
  answered.succeeded();

  const attempts = [refused, unreachable, tooSlow, lost, answered];
  const answer = { usage, amountMicrousd: 10 };
  const costs = recordAttempts(attempts, { prices, answer, expectedRead: () => ({ input: 70 }) });
  expect(costs.map(({ outcome, costMicrousd, cost }) => [outcome, costMicrousd, cost])).toEqual([
    ["failed", 0, "none"],
    ["failed", 0, "none"],
    ["failed", 70, "estimated"],
    ["lost", 70, "estimated"],
    ["answered", 10, "measured"],
  ]);
});

test("nobody counts tokens where nothing is left to estimate", () => {
  const answered = begin();
  answered.answered();
  answered.succeeded();
  const expectedRead = () => {
    throw new Error("It was counted.");
  };
  expect(recordAttempts([answered], { prices, answer: { usage, amountMicrousd: 10 }, expectedRead })).toHaveLength(1);
});
