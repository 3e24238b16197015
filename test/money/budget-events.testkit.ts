import * as fc from "fast-check";
import { budgetPeriods, budgetSubjects } from "../../src/billing/budgets/budget.ts";
import type { RecordStatus } from "../../src/records/record.ts";

/** Random events that happen to budgets and to two gateways. */

const name = (...names: readonly string[]) => fc.constantFrom(...names);
const maybe = (...names: readonly string[]) => fc.option(name(...names), { freq: 2 });
/** Selects by this now and then, so that most budgets concern some requests. */
const seldom = <Value>(value: fc.Arbitrary<Value>) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
/** Accounts and their keys, numbered within a run. */
const owner = fc.constantFrom(
  { accountId: "a", keyId: null },
  { accountId: "a", keyId: "a1" },
  { accountId: null, keyId: "a2" },
  { accountId: "b", keyId: null },
);
const wish = fc.record({
  owner,
  model: seldom(name("m", "n")),
  tag: seldom(fc.record({ name: fc.constant("team"), value: name("x", "y") })),
  endUser: seldom(fc.constant("ann")),
  session: seldom(fc.constant("s1")),
  each: seldom(fc.constantFrom(...budgetSubjects)),
  amountMicrousd: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 50, max: 400 })),
  per: fc.constantFrom(...budgetPeriods),
  timeZone: name("UTC", "Asia/Tokyo", "America/St_Johns", "Europe/Berlin"),
  kind: fc.constantFrom("hard" as const, "hard" as const, "soft" as const),
  notify: fc.array(fc.integer({ min: 1, max: 250 }), { maxLength: 3 }),
});
const request = fc.record({
  gateway: fc.nat(1),
  key: name("a1", "a2", "b1"),
  model: name("m", "n"),
  /** The models that may serve it, and which of them does. */
  servedBy: fc.uniqueArray(name("m", "n", "o"), { minLength: 1, maxLength: 2 }),
  served: fc.nat(1),
  tags: fc.dictionary(name("team", "env"), name("x", "y")),
  endUser: maybe("ann", "bob"),
  session: maybe("s1", "s2"),
  /** The upper bound of its cost, and the part of it that it is charged. */
  bound: fc.nat(40),
  share: fc.integer({ min: 0, max: 100 }),
  ending: fc.constantFrom<RecordStatus>("succeeded", "succeeded", "cancelled", "failed", "pending"),
  /** How many events pass before it ends, and before its record is in the storage. */
  runs: fc.nat(3),
  travels: fc.nat(2),
});
export const anyBudgetEvent = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("set" as const), wish, isKnown: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("remove" as const), index: fc.nat(5), isKnown: fc.boolean() }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("requests" as const),
      requests: fc.array(request, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("end of a job" as const), job: fc.nat(4), share: fc.nat(100) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("time" as const),
      seconds: fc.constantFrom(1, 3_600, 40_000, 86_400, 8 * 86_400, 45 * 86_400, -7_200, -3 * 86_400),
      isKnown: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("replay" as const), record: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("crash" as const), gateway: fc.nat(1) }) },
);
/** What happens to budgets and gateways. */
export type BudgetEvent = typeof anyBudgetEvent extends fc.Arbitrary<infer Event> ? Event : never;
/** One request, and how it will end. */
export type BudgetedRequest = typeof request extends fc.Arbitrary<infer One> ? One : never;
