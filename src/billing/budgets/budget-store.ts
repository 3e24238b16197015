import type { Actor } from "../../changes/change.ts";
import type { Budget } from "./budget.ts";
import type { Period } from "./budget-period.ts";

/** Names one counter: a budget's, in one of its periods, for one end user, session or key. */
export interface CounterKey {
  readonly budgetId: string;
  readonly startsAt: number;
  /** "" if all share the budget. */
  readonly subject: string;
}

/** A counter. Whole micro-USD. */
export interface Counter extends CounterKey {
  readonly spentMicrousd: number;
  readonly heldMicrousd: number;
}

/** What one request is to hold of one counter. */
export interface BudgetHoldRequest extends CounterKey {
  readonly requestId: string;
  readonly amountMicrousd: number;
  /** Of the whole budget. */
  readonly limitMicrousd: number;
  /** The process that has the hold. */
  readonly process: string;
  readonly expiresAt: number;
}

export interface NewPeriod extends Period {
  readonly budgetId: string;
}

/**
 * Keeps budgets and their counters. Implemented by `src/storage`. Counters change with the ledger: a request's charge is
 * counted, and its holds end, in the transaction that books it.
 */
export interface BudgetStore {
  /** A number that every change of the budgets changes. */
  version(): Promise<number>;
  /** Oldest first. */
  list(): Promise<Budget[]>;
  /** Newest first; those after the one with the id `after` if it is given. */
  page(page: { readonly limit: number; readonly after: string | null }): Promise<Budget[]>;
  find(id: string): Promise<Budget | null>;
  /** Sets a budget, and counts what requests of these periods have cost already. */
  set(budget: Budget, periods: readonly Period[], by: Actor): Promise<void>;
  /** Removes a budget with its counters. False if it is not there. */
  remove(id: string, by: Actor): Promise<boolean>;
  /** Adds periods that are not there yet, and counts what their requests have cost already. */
  addPeriods(periods: readonly NewPeriod[]): Promise<void>;
  /** Holds, if what is spent and held leaves room; returns the counter if it does not, and null if it does. */
  hold(hold: BudgetHoldRequest): Promise<Counter | null>;
  /** Lowers all holds of a request to its charge. */
  reduce(requestId: string, amountMicrousd: number): Promise<void>;
  /** Lets the holds of a job last until its end. */
  keep(requestId: string): Promise<void>;
  /** Ends all holds of a request. */
  end(requestId: string): Promise<void>;
  /** Renews the holds of a process, but those of jobs. */
  renew(process: string, expiresAt: number): Promise<void>;
  /** Whether there are holds that have expired. */
  hasExpired(now: number): Promise<boolean>;
  endExpired(now: number): Promise<void>;
  /** The counters of the periods that are on. Of budgets that are set for each of something, those that are exceeded. */
  counters(now: number): Promise<Counter[]>;
  /** The counters that all share, of those of these budgets that have one, in the periods that are on. */
  sharedCounters(budgetIds: readonly string[], now: number): Promise<Counter[]>;
  /** One counter; with nothing in it if it is not there. */
  counter(key: CounterKey): Promise<Counter>;
}

/** A hold that does not expire. */
export const neverExpires = Number.MAX_SAFE_INTEGER;
