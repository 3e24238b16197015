import { overloaded } from "../../errors.ts";
import type { Account } from "./account.ts";
import type { AccountStore } from "./account-store.ts";
import type { Holds } from "../holds/holds.ts";

/** The accounts of keys, as this process knows them. */
export interface Accounts {
  /**
   * At once if it is known: an account never changes. Rejects with 503 `storage_unavailable` if the storage does not
   * answer, and with an `Error` if there is no such account, which the making of keys rules out.
   */
  find(id: string): Account | Promise<Account>;
  /**
   * What an account has right now: charges and holds of this process included, those of other processes as they were last
   * told to the storage. Rejects as `find` does.
   */
  balance(id: string): Promise<CurrentBalance>;
}

/** Whole micro-USD. */
export interface CurrentBalance {
  readonly balanceMicrousd: number;
  readonly heldMicrousd: number;
}

export interface AccountsOptions {
  readonly store: Pick<AccountStore, "find" | "balance">;
  readonly holds: Pick<Holds, "heldMicrousd" | "leaseIds">;
  /** What the charges of an account come to that are durable, and not in the storage yet. */
  readonly unstoredMicrousd: (accountId: string) => number;
}

/** Accounts kept in memory; the one that came first goes first. */
const maxAccounts = 10_000;

export function createAccounts({ store, holds, unstoredMicrousd }: AccountsOptions): Accounts {
  const known = new Map<string, Account>();

  async function ask(id: string): Promise<Account> {
    const account = await store.find(id).catch(unavailable);
    if (account === null) throw new Error(`There is no account '${id}'.`);
    const [oldest] = known.keys();
    if (known.size >= maxAccounts && oldest !== undefined) known.delete(oldest);
    known.set(id, account);
    return account;
  }

  return {
    find: (id) => known.get(id) ?? ask(id),
    async balance(id) {
      const stored = await store.balance(id, holds.leaseIds(id)).catch(unavailable);
      if (stored === null) throw new Error(`There is no account '${id}'.`);
      const balanceMicrousd = stored.balanceMicrousd - unstoredMicrousd(id);
      const heldMicrousd = stored.heldMicrousd + holds.heldMicrousd(id);
      const { mode } = await (known.get(id) ?? ask(id));
      // A prepaid balance covers all its holds: what seems to be held beyond it has been charged in this moment.
      const isCharged = mode === "prepaid" && heldMicrousd > balanceMicrousd;
      return { balanceMicrousd, heldMicrousd: isCharged ? Math.max(0, balanceMicrousd) : heldMicrousd };
    },
  };
}

function unavailable(): never {
  throw overloaded("storage_unavailable", "The account of this API key cannot be read at the moment.", 5);
}
