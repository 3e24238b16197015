import type { Budget } from "./budget.ts";

/** A hard budget of 1 USD in all, for every request. */
export function exampleBudget(fields: Partial<Budget> = {}): Budget {
  return {
    id: `bud_${Bun.randomUUIDv7()}`,
    accountId: null,
    keyId: null,
    model: null,
    tag: null,
    endUser: null,
    session: null,
    each: null,
    amountMicrousd: 1_000_000,
    per: "total",
    timeZone: "UTC",
    kind: "hard",
    notify: [100],
    createdAt: 1_700_000_000_000,
    ...fields,
  };
}
