import type { PriceBook } from "../../billing/prices/price-book.ts";
import type { PriceChange } from "../../billing/price-lists/price-list-store.ts";
import type { Storage } from "../../storage/storage.ts";
import { CommandFailure } from "../exit-codes.ts";

/** The change that made a version, or that put the one in force in force. Fails if there is none. */
export async function findChange({ prices }: Storage, version: number | null): Promise<PriceChange> {
  const changes = await prices.changes();
  const found = version === null ? changes.at(-1) : changes.find((each) => each.version === version);
  if (found) return found;
  if (version === null) throw new CommandFailure("there is no price list yet: it is made when the gateway starts");
  throw new CommandFailure(`the price list has no version ${version}`);
}

export async function readVersion(storage: Storage, version: number | null): Promise<PriceBook> {
  const { readBook } = await import("../../billing/price-lists/prices-in-force.ts");
  return readBook(storage.prices, await findChange(storage, version));
}

/** A change as commands print it, with its time in Unix seconds. */
export function changeView({ version, author, note, createdAt }: PriceChange) {
  return { version, created_at: Math.floor(createdAt / 1000), author, note };
}
