import type { PriceDocument } from "../prices/price-document.ts";
import { tableId, targetSeparator } from "../prices/price-table.ts";
import { changePrices } from "./change-prices.ts";
import { configurationAuthor, type PriceListStore } from "./price-list-store.ts";

/** The prices of what operators have stored. */
export interface StoredPrices {
  /** Names them in the list of versions: `search backends`. */
  readonly of: string;
  /** The names, as the table has them, whose earlier prices are replaced: those of targets too. */
  readonly owners: readonly string[];
  /** By name, or by the name of a target; none for one without a price. */
  readonly prices: Readonly<Record<string, PriceDocument>>;
}

/**
 * Puts the prices of models or search backends that operators have stored in force, as a part of the configured table. Other
 * prices stay as they are, so that gateways with different configurations do not undo each other's. Several processes
 * may do this at once.
 */
export async function publishStoredPrices(store: PriceListStore, stored: StoredPrices): Promise<void> {
  if (stored.owners.length === 0) return;
  const owners = new Set(stored.owners);
  await changePrices(store, "configure", { kind: "gateway" }, async (changes) => {
    const inForce = changes.at(-1);
    // As at a start: a version that an operator has put in force stays so until these prices change.
    const last = changes.findLast(({ author }) => author === configurationAuthor);
    const known = last?.configured ? await store.findTable(last.configured) : null;
    if (!inForce || !last || !known) return null;
    const others = Object.entries(known.table.models).filter(([name]) => !owners.has(ownerOf(name)));
    const table = { ...known.table, models: { ...Object.fromEntries(others), ...stored.prices } };
    const id = tableId(table);
    if (id === last.configured) return null;
    await store.keepTable(id, table);
    return {
      version: changes.reduce((highest, { version }) => Math.max(highest, version), 0) + 1,
      configured: id,
      imported: inForce.imported,
      bundled: last.bundled,
      author: configurationAuthor,
      note: `the prices of ${stored.of} have changed`,
    };
  });
}

/** The model of a price, which may be that of one of its targets. */
function ownerOf(name: string): string {
  const [owner = name] = name.split(targetSeparator);
  return owner;
}
