import { overloaded } from "../errors.ts";
import type { Account } from "./account.ts";
import type { AccountStore } from "./account-store.ts";

/** The accounts of keys. An account never changes, so each is read once. */
export interface Accounts {
  /**
   * At once if it is known. Rejects with 503 `storage_unavailable` if the storage does not answer, and with an `Error` if
   * there is no such account, which the making of keys rules out.
   */
  find(id: string): Account | Promise<Account>;
}

/** Accounts kept in memory; the one that came first goes first. */
const maxAccounts = 10_000;

export function createAccounts(store: Pick<AccountStore, "find">): Accounts {
  const known = new Map<string, Account>();

  async function ask(id: string): Promise<Account> {
    const account = await store.find(id).catch(() => {
      throw overloaded("storage_unavailable", "The account of this API key cannot be read at the moment.", 5);
    });
    if (account === null) throw new Error(`There is no account '${id}'.`);
    const [oldest] = known.keys();
    if (known.size >= maxAccounts && oldest !== undefined) known.delete(oldest);
    known.set(id, account);
    return account;
  }

  return { find: (id) => known.get(id) ?? ask(id) };
}
