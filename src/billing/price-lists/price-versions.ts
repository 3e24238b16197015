import { notFound } from "../../errors.ts";
import type { PriceBook } from "../prices/price-book.ts";
import type { PriceChange, PriceListStore } from "./price-list-store.ts";
import { readBook } from "./prices-in-force.ts";

/** The change that made each version, oldest first, and which of them is in force. */
export function versionsOf(
  changes: readonly PriceChange[],
): { readonly change: PriceChange; readonly inForce: boolean }[] {
  const current = changes.at(-1)?.version;
  const made = new Map<number, PriceChange>();
  for (const change of changes) if (!made.has(change.version)) made.set(change.version, change);
  return [...made.values()].map((change) => ({ change, inForce: change.version === current }));
}

/** A version with its tables; the one in force if `version` is null. Throws a 404 if there is none. */
export async function readVersion(store: PriceListStore, version: number | null): Promise<PriceBook> {
  const changes = await store.changes();
  const found = version === null ? changes.at(-1) : changes.find((each) => each.version === version);
  if (found) return readBook(store, found);
  if (version !== null) throw noVersion(version);
  throw notFound("price_version_not_found", "There is no price list yet: it is made when the gateway starts.");
}

export function noVersion(version: number) {
  return notFound("price_version_not_found", `The price list has no version ${version}.`, "version");
}
