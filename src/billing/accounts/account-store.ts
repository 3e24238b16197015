import type { Actor } from "../../changes/change.ts";
import type { Account } from "./account.ts";
import type { LedgerEntry } from "./ledger.ts";

/** What an account has. Whole micro-USD. */
export interface Balance {
  /** The sum of its entries without holds and releases. */
  readonly balanceMicrousd: number;
  /** Held by jobs that go on, and by running requests as far as their processes have reported it. */
  readonly heldMicrousd: number;
  /** Of that, by jobs: the sum of its holds and releases, with the sign changed. */
  readonly durablyHeldMicrousd: number;
  /** Reserved by processes for requests, those that run and those to come. */
  readonly leasedMicrousd: number;
}

export interface AccountBalance extends Balance {
  readonly account: Account;
}

/** An entry to be made. Its id and time are given by the store's caller. */
export type NewEntry = Pick<
  LedgerEntry,
  "id" | "accountId" | "amountMicrousd" | "createdAt" | "idempotencyKey" | "note"
> & {
  readonly kind: "credit" | "refund" | "adjustment";
  /** For the audit trail. */
  readonly by: Actor;
};

/**
 * What became of an entry. `made`: it is there now. `repeated`: one with its idempotency key was there, and is the same.
 * `conflict`: that one has another kind or amount. `insufficient`: a prepaid account does not have that much free;
 * gateways that have more of it on lease than they need are asked to give it back. `overflow`: the balance would leave the numbers that are exact.
 */
export type Posted =
  | { readonly kind: "made" | "repeated" | "conflict"; readonly entry: LedgerEntry; readonly balance: Balance }
  | { readonly kind: "insufficient" | "overflow"; readonly balance: Balance }
  | { readonly kind: "unknown_account" };

/** A page of a ledger. */
export interface EntryQuery {
  readonly limit: number;
  /** Only entries older than the one with this id. */
  readonly after: string | null;
}

/** Keeps accounts, their entries and balances. Implemented by `src/storage`; entries of requests come with records. */
export interface AccountStore {
  /** False if the id is taken. */
  create(account: Account, by: Actor): Promise<boolean>;
  find(id: string): Promise<Account | null>;
  /** Sorted by id: all, or a page of those that follow the id `after`. */
  list(page?: { readonly limit: number; readonly after: string | null }): Promise<AccountBalance[]>;
  /** @param leasesApart leases whose holds are not counted: their process knows better */
  balance(id: string, leasesApart?: readonly string[]): Promise<Balance | null>;
  /** Makes an entry, once, and changes the balance. */
  post(entry: NewEntry): Promise<Posted>;
  /** Newest first. */
  entries(accountId: string, query: EntryQuery): Promise<LedgerEntry[]>;
}
