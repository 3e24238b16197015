import { expect, test } from "bun:test";
import { exampleBook } from "../../billing/prices/price-book.testkit.ts";
import { recordAttempts } from "./attempt-costs.ts";
import { setUpAttempts } from "./attempt.testkit.ts";

const prices = exampleBook({ m: { input: 1_000_000, output: 2_000_000 } });
const usage = {
  dimensions: [{ name: "output", quantity: 5, unit: "token" }],
  measurement: { input: "provider", output: "provider" },
} as const;
const completion = JSON.stringify({
  id: "c",
  choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }],
});

const { client, begin } = setUpAttempts();

function answeredAttempt() {
  const { attempt, upstream } = begin();
  upstream.answersHead(200, { "content-type": "application/json" });
  upstream.answers(completion);
  upstream.ends();
  return attempt;
}

test("each attempt has cost what its provider was given to do, and the answer what it comes to", () => {
  const startedTick = client.now();
  const refused = begin();
  refused.upstream.answersHead(500);
  refused.upstream.ends();
  const unreachable = begin();
  unreachable.upstream.fails("unreachable");
  const tooSlow = begin();
  tooSlow.upstream.sent();
  client.advance(1_000);
  const lost = begin();
  lost.attempt.abandon("lost");

  const attempts = [...[refused, unreachable, tooSlow, lost].map(({ attempt }) => attempt), answeredAttempt()];
  const answer = { usage, amountMicrousd: 10 };
  const costs = recordAttempts(attempts, {
    prices,
    at: 0,
    startedTick,
    answer,
    rounds: null,
    expectedRead: () => ({ input: 70 }),
  });
  expect(costs.map(({ outcome, costMicrousd, cost }) => [outcome, costMicrousd, cost])).toEqual([
    ["failed", 0, "none"],
    ["failed", 0, "none"],
    ["failed", 70, "estimated"],
    ["lost", 70, "estimated"],
    ["answered", 10, "measured"],
  ]);
});

test("no tokens are counted if nothing is left to estimate", () => {
  const expectedRead = () => {
    throw new Error("It was counted.");
  };
  const costs = {
    prices,
    at: 0,
    startedTick: client.now(),
    answer: { usage, amountMicrousd: 10 },
    rounds: null,
    expectedRead,
  };
  expect(recordAttempts([answeredAttempt()], costs)).toHaveLength(1);
});

test("attempts are in the order in which they began, with their start", () => {
  const startedTick = client.now();
  const [first, second] = [begin().attempt, (client.advance(150), begin().attempt)];
  for (const attempt of [first, second]) attempt.abandon("lost");
  const costs = { prices, at: 0, startedTick, answer: null, rounds: null, expectedRead: () => ({}) };
  // Searches within a conversation are listed apart from its rounds.
  expect(recordAttempts([second, first], costs).map(({ startedMs }) => startedMs)).toEqual([0, 150]);
  expect(recordAttempts([second], costs).map(({ startedMs }) => startedMs)).toEqual([150]);
  expect(recordAttempts([first], costs).map(({ startedMs }) => startedMs)).toEqual([null]);
});
