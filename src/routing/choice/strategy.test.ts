import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { exampleCandidate, simulatedClock } from "./candidate.testkit.ts";
import type { Candidate } from "./candidate.ts";
import { type Group, inOrder, type StrategyFacts } from "./strategy.ts";
import { beginAttempt } from "../health/watch.testkit.ts";

const clock = simulatedClock();

function facts(changed: Partial<StrategyFacts> = {}): StrategyFacts {
  return {
    now: clock.now(),
    random: () => 0.5,
    rotation: { next: 0 },
    isDryRun: false,
    costOf: () => null,
    ...changed,
  };
}

/** A group of one candidate for each id. */
function groups(weights: Readonly<Record<string, number>>): Group[] {
  return Object.entries(weights).map(([id, weight]) => ({ weight, candidates: [exampleCandidate(clock, id)] }));
}

const idsOf = (candidates: readonly Candidate[]) => candidates.map(({ model }) => model.id);

/** A reproducible sequence of numbers from 0 to below 1. */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const strategies = ["priority", "weighted", "round_robin", "lowest_latency", "lowest_cost", "least_busy"] as const;

test.each(strategies)("%s returns each candidate once and keeps the order within each group", (strategy) => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 }),
      fc.nat(1_000),
      (sizes, seed) => {
        const all = sizes.map((size, group): Group => {
          const ids = Array.from({ length: size }, (_, place) => `${group}.${place}`);
          return { weight: group + 1, candidates: ids.map((id) => exampleCandidate(clock, id)) };
        });
        const ids = idsOf(inOrder(strategy, all, facts({ random: seededRandom(seed) })));
        expect(ids.toSorted()).toEqual(idsOf(all.flatMap(({ candidates }) => candidates)).toSorted());
        for (const { candidates } of all) {
          const places = idsOf(candidates).map((id) => ids.indexOf(id));
          expect(places).toEqual(places.toSorted((one, other) => one - other));
        }
      },
    ),
  );
});

test("priority keeps the order of the configuration", () => {
  expect(idsOf(inOrder("priority", groups({ b: 1, a: 9, c: 5 }), facts()))).toEqual(["b", "a", "c"]);
});

describe("weighted", () => {
  test("gives each group its share of the first places, and of the second places", () => {
    const weights = { a: 6, b: 3, c: 1 };
    const all = groups(weights);
    const random = seededRandom(42);
    const rounds = 20_000;
    const first = new Map<string, number>();
    let secondAfterA = 0;
    let bSecondAfterA = 0;
    for (let round = 0; round < rounds; round++) {
      const [one = "", two = ""] = idsOf(inOrder("weighted", all, facts({ random })));
      first.set(one, (first.get(one) ?? 0) + 1);
      if (one !== "a") continue;
      secondAfterA++;
      if (two === "b") bSecondAfterA++;
    }
    // Five standard deviations.
    const margin = (share: number, of: number) => 5 * Math.sqrt((share * (1 - share)) / of);
    for (const [id, weight] of Object.entries(weights)) {
      const share = weight / 10;
      expect(Math.abs((first.get(id) ?? 0) / rounds - share)).toBeLessThan(margin(share, rounds));
    }
    expect(Math.abs(bSecondAfterA / secondAfterA - 3 / 4)).toBeLessThan(margin(3 / 4, secondAfterA));
  });

  test("selects a group at both ends of the random range", () => {
    expect(idsOf(inOrder("weighted", groups({ a: 1, b: 1 }), facts({ random: () => 0 })))).toEqual(["a", "b"]);
    const highest = 1 - Number.EPSILON / 2;
    expect(idsOf(inOrder("weighted", groups({ a: 1, b: 1 }), facts({ random: () => highest })))).toEqual(["b", "a"]);
  });
});

test("round_robin starts with the next group each time and wraps around", () => {
  const all = groups({ a: 1, b: 1, c: 1 });
  const rotation = { next: 0 };
  const orders = Array.from({ length: 4 }, () => idsOf(inOrder("round_robin", all, facts({ rotation }))).join(""));
  expect(orders).toEqual(["abc", "bca", "cab", "abc"]);
});

test("round_robin spreads the share of an unavailable group evenly and asks it last", () => {
  const all = groups({ a: 1, b: 1, c: 1 });
  const unavailable = all[1]?.candidates[0]?.target.health;
  unavailable?.circuit.pause(0, clock.now() + 60_000);
  const rotation = { next: 0 };
  const orders = Array.from({ length: 3 }, () => idsOf(inOrder("round_robin", all, facts({ rotation }))).join(""));
  expect(orders).toEqual(["acb", "cab", "acb"]);
});

test("lowest_latency asks unmeasured targets first, then the fastest", () => {
  const all = groups({ slow: 1, unknown: 1, quick: 1 });
  const [slow, , quick] = all.flatMap(({ candidates }) => candidates);
  const measured = (candidate: Candidate | undefined, milliseconds: number) => {
    const watch = candidate && beginAttempt(candidate.target.health);
    watch?.answered(milliseconds);
    watch?.ended();
  };
  measured(slow, 900);
  measured(quick, 100);
  expect(idsOf(inOrder("lowest_latency", all, facts()))).toEqual(["unknown", "quick", "slow"]);
});

test("least_busy asks the target with the fewest calls in flight first, in order among equals", () => {
  const all = groups({ a: 1, b: 1, c: 1 });
  const [a, b] = all.flatMap(({ candidates }) => candidates);
  const calls = [a, a, b].map((each) => each && beginAttempt(each.target.health));
  expect(idsOf(inOrder("least_busy", all, facts()))).toEqual(["c", "b", "a"]);
  for (const call of calls) call?.ended();
  expect(idsOf(inOrder("least_busy", all, facts()))).toEqual(["a", "b", "c"]);
});

test("lowest_cost asks the cheapest first and unpriced targets last, in order among equals", () => {
  const costs: Readonly<Record<string, number | null>> = { none: null, dear: 90, cheap: 5, same: 5, also: null };
  const all = groups({ none: 1, dear: 1, cheap: 1, same: 1, also: 1 });
  const costOf = ({ model }: Candidate) => costs[model.id] ?? null;
  expect(idsOf(inOrder("lowest_cost", all, facts({ costOf })))).toEqual(["cheap", "same", "dear", "none", "also"]);
});
