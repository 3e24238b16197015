import type { Actor } from "../../changes/change.ts";
import { GatewayError, overloaded } from "../../errors.ts";
import type { JsonObject } from "../../json/values.ts";
import type { Log } from "../../log.ts";
import type { Channels } from "../../upstream/channel.ts";
import type { Provider, Providers } from "../../upstream/provider.ts";
import { barredHealth } from "../health/barred-health.ts";
import type { Health } from "../health/health.ts";
import type { Model } from "../names/model.ts";
import { modelsOf, type PricedModel } from "../names/models-of.ts";
import { followStore } from "../stored/follow-store.ts";
import type { StoredEntry } from "./catalog-store.ts";
import { type CatalogTools, changeEntry, createEntry, removeEntry } from "./change-catalog.ts";
import { type ResolvedCatalog, resolveCatalog } from "./resolve-catalog.ts";

/** A provider with its origin and state. */
export interface ProviderEntry {
  readonly id: string;
  /** Null for one of the configuration. */
  readonly stored: StoredEntry | null;
  /** The line of the configuration file that sets it; null if there is none. */
  readonly line: number | null;
  /** Null if it is not in force. */
  readonly provider: Provider | null;
  /** Why it is not in force, or is never asked; null if all is well. */
  readonly problem: string | null;
}

/** A model with its origin and state. */
export interface ModelEntry {
  readonly id: string;
  /** Null for one of the configuration. */
  readonly stored: StoredEntry | null;
  /** The line of the configuration file that sets it; null if there is none. */
  readonly line: number | null;
  /** Null if it is not in force. */
  readonly config: PricedModel | null;
  readonly problem: string | null;
}

/** The providers and models of a running gateway. A change is durable and in force in this process when its promise resolves. */
export interface StoredCatalog {
  /** Those of the configuration, then the stored ones ordered by id. */
  providers(): readonly ProviderEntry[];
  models(): readonly ModelEntry[];
  /** The providers in force. */
  readonly inForce: Providers;
  /** Is told from then on when changed models are in force. */
  onApply(listener: () => void): void;
  /** @throws as the functions of `change-catalog.ts`; 503 if the storage fails */
  createProvider(value: JsonObject, by: Actor): Promise<ProviderEntry>;
  changeProvider(id: string, changes: JsonObject, by: Actor): Promise<ProviderEntry>;
  removeProvider(id: string, by: Actor): Promise<void>;
  createModel(value: JsonObject, by: Actor): Promise<ModelEntry>;
  changeModel(id: string, changes: JsonObject, by: Actor): Promise<ModelEntry>;
  removeModel(id: string, by: Actor): Promise<void>;
}

export interface StoredCatalogOptions extends Omit<CatalogTools, "by"> {
  readonly log: Pick<Log, "info" | "warn">;
  readonly health: Health;
  readonly channels: Pick<Channels, "open">;
  /** The lines of the configuration file, by id. */
  readonly lines: { readonly providers: ReadonlyMap<string, number>; readonly models: ReadonlyMap<string, number> };
  /** The models of the configuration, which are in force already. */
  readonly fixedModels: readonly Model[];
  /** What was read of the storage already, so that it need not be read again. */
  readonly resolved: ResolvedCatalog;
  /** Puts these models in force: those of the configuration, then the stored ones. */
  readonly apply: (models: readonly Model[]) => void;
  /** Sees to it that the prices of these are in force in this process. */
  readonly publishPrices: (models: readonly PricedModel[]) => Promise<void>;
  /** The interval at which the storage is checked for changes. */
  readonly intervalMs?: number;
}

/** Puts the configured and the stored providers and models in force, and follows changes of the stored ones until `stop`. */
export async function openStoredCatalog(
  options: StoredCatalogOptions,
): Promise<StoredCatalog & { stop(): Promise<void> }> {
  const { store, log, health, channels, configured, fixedModels, lines, intervalMs } = options;
  const fixedProviderEntries = configured.providers.map((provider): ProviderEntry => {
    return { id: provider.id, stored: null, line: lines.providers.get(provider.id) ?? null, provider, problem: null };
  });
  const fixedModelEntries = configured.models.map((config): ModelEntry => {
    return { id: config.id, stored: null, line: lines.models.get(config.id) ?? null, config, problem: null };
  });
  let resolved = options.resolved;
  let providerEntries: readonly ProviderEntry[] = [];
  let modelEntries: readonly ModelEntry[] = [];
  /** By id, those of stored models, so that one that has not changed is the same object. */
  let inForce: ReadonlyMap<string, InForce> = new Map();
  const listeners: (() => void)[] = [];
  let allProviders = configured.providers;

  async function apply(rows: readonly StoredEntry[]): Promise<void> {
    const next = await resolveCatalog(rows, options, resolved);
    const nextProviders = next.providers.map(openProvider);
    const nextModels = next.models.map(({ stored, model, problem }): ModelEntry => {
      return { id: stored.id, stored, line: null, config: model, problem };
    });
    warnOfProblems([...nextProviders, ...nextModels], [...providerEntries, ...modelEntries]);
    await options.publishPrices(next.models.flatMap(({ model }) => model ?? []));
    // From here on nothing waits: a request sees either all of the change or none of it.
    const providers = new Map(configured.providers.map((provider) => [provider.id, provider]));
    const barred = new Set<Provider>();
    for (const { id, provider, problem } of nextProviders) {
      if (provider === null || providers.has(id)) continue;
      providers.set(id, provider);
      if (problem !== null) barred.add(provider);
    }
    const nextInForce = new Map<string, InForce>();
    for (const { id, config } of nextModels) {
      if (config !== null) nextInForce.set(id, modelOf(config, providers, barred, inForce.get(id)));
    }
    [resolved, providerEntries, modelEntries, inForce] = [next, nextProviders, nextModels, nextInForce];
    allProviders = [...providers.values()];
    options.apply([...fixedModels, ...[...nextInForce.values()].map(({ model }) => model)]);
    for (const listener of listeners) listener();
  }

  /** A provider that has not changed is the same object, and keeps its connections. */
  function openProvider({ stored, provider, problem }: ResolvedCatalog["providers"][number]): ProviderEntry {
    const { id } = stored;
    const before = providerEntries.find((entry) => entry.id === id);
    if (provider === null || before?.provider === provider) return { id, stored, line: null, provider, problem };
    try {
      channels.open(provider);
      return { id, stored, line: null, provider, problem };
    } catch (error) {
      return { id, stored, line: null, provider: null, problem: String(error) };
    }
  }

  function modelOf(
    config: PricedModel,
    providers: ReadonlyMap<string, Provider>,
    barred: ReadonlySet<Provider>,
    before: InForce | undefined,
  ): InForce {
    const isSame =
      before?.config === config &&
      before.model.targets.every(({ provider }) => {
        return providers.get(provider.id) === provider;
      });
    if (isSame) return before;
    const [model] = modelsOf({ providers: [...providers.values()], models: [config] }, health);
    if (!model) throw new Error(`The model '${config.id}' cannot be made.`);
    const targets = model.targets.map((target) => {
      return barred.has(target.provider) ? { ...target, health: barredHealth(target.health) } : target;
    });
    return { config, model: { ...model, targets } };
  }

  function warnOfProblems(
    next: readonly (ProviderEntry | ModelEntry)[],
    before: readonly (ProviderEntry | ModelEntry)[],
  ) {
    const known = new Map(before.map(({ stored, problem }) => [`${stored?.kind} ${stored?.id}`, problem]));
    for (const { id, stored, problem } of next) {
      if (problem === null || known.get(`${stored?.kind} ${id}`) === problem) continue;
      log.warn({ [stored?.kind ?? "entry"]: id, problem }, `A stored ${stored?.kind} cannot be used.`);
    }
  }

  const following = await followStore({ store, apply, what: "providers and models", log, intervalMs });

  async function change<Result>(work: (tools: CatalogTools) => Promise<Result>, by: Actor): Promise<Result> {
    try {
      const result = await work({ ...options, by });
      await following.refresh();
      return result;
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      log.warn({ error: String(error) }, "The stored providers and models cannot be changed.");
      throw overloaded("storage_unavailable", "Providers and models cannot be changed at the moment.", 5);
    }
  }

  /** It is not in force yet if the storage failed between the change and its reading. */
  const notYet = { line: null, problem: "it is not in force yet" } as const;
  const providerOf = (stored: StoredEntry): ProviderEntry => {
    return providerEntries.find(({ id }) => id === stored.id) ?? { id: stored.id, stored, provider: null, ...notYet };
  };
  const modelEntryOf = (stored: StoredEntry): ModelEntry => {
    return modelEntries.find(({ id }) => id === stored.id) ?? { id: stored.id, stored, config: null, ...notYet };
  };

  return {
    inForce: {
      get all() {
        return allProviders;
      },
      find: (id) => allProviders.find((provider) => provider.id === id) ?? null,
    },
    onApply: (listener) => void listeners.push(listener),
    providers: () => [...fixedProviderEntries, ...providerEntries],
    models: () => [...fixedModelEntries, ...modelEntries],
    createProvider: async (value, by) => providerOf(await change((tools) => createEntry(tools, "provider", value), by)),
    changeProvider: async (id, changes, by) =>
      providerOf(await change((tools) => changeEntry(tools, "provider", id, changes), by)),
    removeProvider: (id, by) => change((tools) => removeEntry(tools, "provider", id), by),
    createModel: async (value, by) => modelEntryOf(await change((tools) => createEntry(tools, "model", value), by)),
    changeModel: async (id, changes, by) =>
      modelEntryOf(await change((tools) => changeEntry(tools, "model", id, changes), by)),
    removeModel: (id, by) => change((tools) => removeEntry(tools, "model", id), by),
    stop: () => following.stop(),
  };
}

interface InForce {
  readonly config: PricedModel;
  readonly model: Model;
}
