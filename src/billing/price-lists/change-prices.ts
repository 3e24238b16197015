import type { Actor } from "../../changes/change.ts";
import { notFound } from "../../errors.ts";
import {
  configurationAuthor,
  type PriceChange,
  type PriceChangeOrigin,
  type PriceListStore,
} from "./price-list-store.ts";
import { noVersion } from "./price-versions.ts";
import { type PriceTable, tableId } from "../prices/price-table.ts";

/** Who changes prices, and why. */
export interface ChangeNote {
  /** For the audit trail. */
  readonly by: Actor;
  /** For the list of versions. */
  readonly author: string;
  readonly note: string;
}

/** A table that is loaded only if the storage does not have it. */
export interface KnownTable {
  readonly id: string;
  load(): Promise<PriceTable>;
}

/** The result of a change: what is in force after it. */
export interface Published {
  readonly change: PriceChange;
  /** False if nothing had to be changed. */
  readonly isNew: boolean;
}

/** Attempts to apply a change while other processes change the prices too. */
const maxAttempts = 20;

/**
 * Puts the configured and bundled prices in force if they are not those of the last start, and keeps what was imported.
 * Several processes may do this at once: they end with one version for the same prices. A version that an operator has
 * put in force stays in force as long as the configuration does not change.
 */
export async function publishConfigured(
  store: PriceListStore,
  configured: PriceTable,
  bundled: KnownTable | null,
): Promise<Published> {
  const id = tableId(configured);
  return changePrices(store, "configure", { kind: "gateway" }, async (changes) => {
    const inForce = changes.at(-1) ?? null;
    const last = changes.findLast(({ author }) => author === configurationAuthor);
    const wantsBundled = bundled?.id ?? null;
    if (inForce && last?.configured === id && last.bundled === wantsBundled) return null;
    await store.keepTable(id, configured);
    if (bundled && !(await store.hasTable(bundled.id))) await store.keepTable(bundled.id, await bundled.load());
    return {
      version: nextVersion(changes),
      configured: id,
      imported: inForce?.imported ?? null,
      bundled: wantsBundled,
      author: configurationAuthor,
      note: last ? noteOf(last.configured !== id, last.bundled !== wantsBundled) : "the first start",
    };
  });
}

function noteOf(isConfigurationNew: boolean, isBundledNew: boolean): string {
  if (isConfigurationNew && isBundledNew) return "the configured and the bundled prices have changed";
  return isBundledNew ? "the bundled prices have changed" : "the configured prices have changed";
}

/** Puts imported prices in force in place of those imported before. */
export async function importPrices(
  store: PriceListStore,
  table: PriceTable,
  { by, author, note }: ChangeNote,
): Promise<Published> {
  const id = tableId(table);
  await store.keepTable(id, table);
  return changePrices(store, "import", by, async (changes) => {
    const inForce = changes.at(-1);
    if (inForce?.imported === id) return null;
    const { configured = null, bundled = null } = inForce ?? {};
    return { version: nextVersion(changes), configured, imported: id, bundled, author, note };
  });
}

/** Puts an earlier version in force again. Throws if there is no such version. */
export async function activateVersion(
  store: PriceListStore,
  version: number,
  { by, author, note }: ChangeNote,
): Promise<Published> {
  return changePrices(store, "activate", by, async (changes) => {
    const found = changes.find((each) => each.version === version);
    if (!found) throw noVersion(version);
    if (changes.at(-1)?.version === version) return null;
    const { configured, imported, bundled } = found;
    return { version, configured, imported, bundled, author, note };
  });
}

/** Puts the version before the one in force in force again. Throws if there is none. */
export async function rollBack(store: PriceListStore, by: ChangeNote): Promise<Published> {
  const changes = await store.changes();
  const current = changes.at(-1)?.version ?? 0;
  const earlier = changes.map(({ version }) => version).filter((version) => version < current);
  if (earlier.length === 0) {
    throw notFound("price_version_not_found", "The price list has no earlier version.");
  }
  return activateVersion(store, Math.max(...earlier), by);
}

function nextVersion(changes: readonly PriceChange[]): number {
  return changes.reduce((highest, { version }) => Math.max(highest, version), 0) + 1;
}

type NewChange = Omit<PriceChange, "sequence" | "createdAt">;

/**
 * Adds a change to the price list.
 * @param decide what to add; null if all is as it should be. Run again if another process was quicker.
 */
export async function changePrices(
  store: PriceListStore,
  action: PriceChangeOrigin["action"],
  by: Actor,
  decide: (changes: readonly PriceChange[]) => Promise<NewChange | null>,
): Promise<Published> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const changes = await store.changes();
    const newest = changes.at(-1);
    const wanted = await decide(changes);
    if (wanted === null && newest) return { change: newest, isNew: false };
    const sequence = (newest?.sequence ?? 0) + 1;
    const origin = { action, by, inForce: newest?.version ?? null };
    if (wanted === null || !(await store.append({ ...wanted, sequence }, origin))) continue;
    const added = (await store.changes()).find((each) => each.sequence === sequence);
    if (added) return { change: added, isNew: true };
  }
  throw new Error(`The prices could not be changed: in ${maxAttempts} attempts other processes were always quicker.`);
}
