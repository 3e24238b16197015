import { nextTurn } from "../../next-turn.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { PricedModel } from "../names/models-of.ts";
import { openedItem } from "../stored/open-item.ts";
import { problemText } from "../stored/stored-item.ts";
import type { StoredEntry } from "./catalog-store.ts";
import { type CatalogReader, type ConfiguredCatalog, knownToModels, providersNamedBy } from "./change-catalog.ts";

/** A stored provider, and what can be made of it. */
export interface ResolvedProvider {
  readonly stored: StoredEntry;
  /** Null if it is not in force. */
  readonly provider: Provider | null;
  /** Why it is not in force, or is never asked; null if all is well. */
  readonly problem: string | null;
}

export interface ResolvedModel {
  readonly stored: StoredEntry;
  /** Null if it is not in force. */
  readonly model: PricedModel | null;
  readonly problem: string | null;
}

export interface ResolvedCatalog {
  readonly providers: readonly ResolvedProvider[];
  readonly models: readonly ResolvedModel[];
}

export interface ResolveOptions {
  readonly reader: CatalogReader;
  readonly sealer: Sealer;
  readonly configured: ConfiguredCatalog;
}

/** Entries that are read in one turn of the event loop. */
const perTurn = 20;

const nothing: ResolvedCatalog = { providers: [], models: [] };

/**
 * Reads what is stored. An entry that has not changed since `before` is that of `before` itself, so that what is made of it can
 * be kept. Never throws: an entry that cannot be used says why.
 */
export async function resolveCatalog(
  rows: readonly StoredEntry[],
  options: ResolveOptions,
  before: ResolvedCatalog = nothing,
): Promise<ResolvedCatalog> {
  const { configured } = options;
  const known = knownToModels(configured, rows);
  const configuredProviders = idsOf(configured.providers);
  const takenNames = idsOf([...configured.models, ...configured.routes]);
  const oldProviders = new Map(before.providers.map((each) => [each.stored.id, each]));
  const oldModels = new Map(before.models.map((each) => [each.stored.id, each]));
  const providers: ResolvedProvider[] = [];
  const models: ResolvedModel[] = [];
  let read = 0;
  const pause = () => (++read % perTurn === 0 ? nextTurn() : undefined);
  for (const row of rows.filter(({ kind }) => kind === "provider")) {
    const old = oldProviders.get(row.id);
    if (old && isSame(old.stored, row)) providers.push(old);
    else {
      providers.push(await resolveProvider(row, options, configuredProviders));
      await pause();
    }
  }
  // The configuration's provider of an id hides a stored one.
  const lost = new Map(
    providers.flatMap(({ stored: { id }, provider, problem }) => {
      return provider === null && !configuredProviders.has(id) ? [[id, problem]] : [];
    }),
  );
  const storedProviders = idsOf(providers.map(({ stored }) => stored));
  for (const row of rows.filter(({ kind }) => kind === "model")) {
    const named = providersNamedBy(row).map(String);
    const missing = named.find((id) => lost.has(id));
    const old = oldModels.get(row.id);
    const isKept = old?.model && isSame(old.stored, row);
    if (missing !== undefined) {
      const problem = `its provider '${missing}' is not in force: ${lost.get(missing) ?? ""}`;
      models.push({ stored: row, model: null, problem });
    } else if (isKept && named.every((id) => configuredProviders.has(id) || storedProviders.has(id))) models.push(old);
    else {
      models.push(await resolveModel(row, options, takenNames, known));
      await pause();
    }
  }
  return { providers, models };
}

const hidden = "the configuration file has another provider with its id";
const hiddenModel = "the configuration file has another model or route with its id";

async function resolveProvider(
  stored: StoredEntry,
  { reader, sealer }: ResolveOptions,
  configured: ReadonlySet<string>,
): Promise<ResolvedProvider> {
  if (configured.has(stored.id)) return { stored, provider: null, problem: hidden };
  const { value, problem } = openedItem(stored, { sealer, place: `provider/${stored.id}` });
  const reading = await reader.readProvider(value);
  if ("problems" in reading) return { stored, provider: null, problem: problemText(reading.problems) };
  return { stored, provider: reading.provider, problem };
}

async function resolveModel(
  stored: StoredEntry,
  { reader }: ResolveOptions,
  takenNames: ReadonlySet<string>,
  known: Parameters<CatalogReader["readModel"]>[1],
): Promise<ResolvedModel> {
  if (takenNames.has(stored.id)) return { stored, model: null, problem: hiddenModel };
  const reading = await reader.readModel({ ...stored.fields, id: stored.id }, known);
  if ("problems" in reading) return { stored, model: null, problem: problemText(reading.problems) };
  return { stored, model: reading.model, problem: null };
}

function idsOf(named: readonly { readonly id: string }[]): ReadonlySet<string> {
  return new Set(named.map(({ id }) => id));
}

function isSame(one: StoredEntry, other: StoredEntry): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
