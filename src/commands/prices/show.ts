import { listPrices, priceLabel } from "../../billing/price-lists/list-prices.ts";
import type { FoundPrices } from "../../billing/prices/price-book.ts";
import {
  type ModelAtTargets,
  priceListView,
  shownBackends,
  shownModels,
} from "../../billing/price-lists/price-list-view.ts";
import type { Config } from "../../config/config.ts";
import { type ConfiguredBackend, pricedAs, pricedBackend } from "../../routing/names/backend-model.ts";
import { readStoredBackends } from "../../routing/stored-backends/resolve-backend.ts";
import type { Storage } from "../../storage/storage.ts";
import { CommandFailure } from "../exit-codes.ts";
import { formatTable, formatUsd } from "../format.ts";
import type { ConfigOptions } from "../options.ts";
import { withStoredCatalog } from "../stored-catalog.ts";
import { withStorage } from "../with-storage.ts";
import { modelFor, pricedTargets } from "./priced-targets.ts";

export interface VersionOptions extends ConfigOptions {
  readonly json?: boolean;
  /** A version rather than the one in force. */
  readonly at?: number;
}

/** `tollgate prices show`: what the configured models cost, and where each price comes from. */
export async function showPrices(name: string | null, options: VersionOptions): Promise<void> {
  const { book, models } = await withStorage(options, async (storage, configured) => {
    const config = await withStoredCatalog(storage, configured);
    const changes = await storage.prices.changes();
    const isUnpublished = changes.length === 0 && options.at === undefined;
    const { configuredBook } = await import("./configured-book.ts");
    const { readVersion } = await import("./versions.ts");
    const backends = await backendsOf(storage, config);
    const book = isUnpublished
      ? await configuredBook([...backends.map(pricedBackend), ...config.models], config.prices.bundled)
      : await readVersion(storage, options.at ?? null);
    const models = shownModels(book, modelsAtTargets(config, name));
    return { book, models: [...models, ...shownBackends(book, backends.map(backendAtTarget), name)] };
  });
  if (name !== null && models.length === 0) {
    const place = book.version === 0 ? "the configuration" : `version ${book.version}`;
    throw new CommandFailure(`the model ${name} has no prices in ${place}`);
  }
  if (options.json === true) return console.log(JSON.stringify(priceListView(book, models)));
  console.log(
    book.version === 0
      ? "Prices of the configuration, in force as version 1 once the gateway starts"
      : `Price list version ${book.version}`,
  );
  if (models.length === 0) return console.log("No model has prices.");
  const rows = models.flatMap(({ id, target, found }) => {
    const label = target === null ? id : `${id} (${target})`;
    const source = `${found.source.name}, ${found.source.date}`;
    return rowsOf(label, source, found);
  });
  console.log(formatTable([["MODEL", "DIMENSION", "USD", "PER", "SOURCE"], ...rows], [2]));
}

/** All models, or the one that serves a name, with their targets. */
function modelsAtTargets({ models, providers }: Config, name: string | null): ModelAtTargets[] {
  const asked =
    name === null ? models.toSorted((a, b) => (a.id < b.id ? -1 : 1)) : [modelFor(models, name) ?? []].flat();
  return asked.map((model) => ({
    model: { id: name ?? model.id, pricedAs: model.id },
    targets: pricedTargets(model, providers, name ?? model.id).map(({ target }) => {
      return { label: `${target.provider.id}/${target.model}`, target };
    }),
  }));
}

/** The search backends of the configuration and of the storage. */
async function backendsOf(storage: Storage, { search }: Config): Promise<readonly ConfiguredBackend[]> {
  const stored = await storage.searchBackends.list();
  if (stored.length === 0) return search.backends;
  const { readStoredBackend } = await import("../../config/backends/backend-reader.ts");
  const ids = new Set(search.backends.map(({ id }) => id));
  const read = await readStoredBackends(stored, readStoredBackend);
  return [...search.backends, ...read.filter(({ id }) => !ids.has(id))];
}

function backendAtTarget({ id, provider }: ConfiguredBackend): ModelAtTargets {
  const target = { provider, model: id, pricedAs: pricedAs(id) };
  return { model: { id, pricedAs: pricedAs(id) }, targets: [{ label: `${provider.id}/${id}`, target }] };
}

function rowsOf(label: string, source: string, { prices }: FoundPrices): string[][] {
  const rows = listPrices(prices).map((price) => {
    return [label, priceLabel(price), formatUsd(price.unit_microusd), price.unit, source];
  });
  return prices.isProviderCost ? [[label, "as the provider reports", "", "", source], ...rows] : rows;
}
