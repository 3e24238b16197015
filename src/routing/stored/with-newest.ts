import { GatewayError } from "../../errors.ts";

/** Attempts to apply a change while other processes change the same things too. */
const maxTries = 10;

/** What is stored, with a version that every change counts up. */
interface VersionedStore<Item> {
  version(): Promise<number>;
  list(): Promise<readonly Item[]>;
}

/**
 * Applies a change to the newest of what is stored. `change` returns null if it is no longer the newest, and is run again.
 * @param what names it for the 409 if others keep being quicker: `routes`
 */
export async function withNewest<Item, Result>(
  store: VersionedStore<Item>,
  what: string,
  change: (stored: readonly Item[], version: number) => Promise<Result | null>,
): Promise<Result> {
  for (let tries = 0; tries < maxTries; tries++) {
    const version = await store.version();
    const result = await change(await store.list(), version);
    if (result !== null) return result;
  }
  throw GatewayError.of("conflicting_change", `The ${what} were changed concurrently. Try again.`);
}
