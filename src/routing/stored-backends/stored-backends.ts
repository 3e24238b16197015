import type { Actor } from "../../changes/change.ts";
import { GatewayError, overloaded } from "../../errors.ts";
import type { JsonObject } from "../../json/values.ts";
import type { Log } from "../../log.ts";
import type { Channels } from "../../upstream/channel.ts";
import { barredHealth } from "../health/barred-health.ts";
import type { Health } from "../health/health.ts";
import { backendModel, type ConfiguredBackend, pricedAs } from "../names/backend-model.ts";
import type { ChangingBackends } from "../names/backends.ts";
import type { Model } from "../names/model.ts";
import { followStore } from "../stored/follow-store.ts";
import type { StoredBackend } from "./backend-store.ts";
import { type BackendTools, changeBackend, createBackend, orderBackends, removeBackend } from "./change-backends.ts";
import { type ResolvedBackend, resolveBackend } from "./resolve-backend.ts";

/** A backend with its origin and state. */
export interface BackendEntry {
  readonly id: string;
  /** Null for one of the configuration. */
  readonly stored: StoredBackend | null;
  /** The line of the configuration file that sets it; null if there is none. */
  readonly line: number | null;
  /** Null if it is invalid and not in force. */
  readonly backend: ConfiguredBackend | null;
  /** Null if it is not in force. */
  readonly model: Model | null;
  /** Why it is not in force, or is never asked; null if all is well. */
  readonly problem: string | null;
}

/** The search backends of a running gateway. A change is durable and in force in this process when its promise resolves. */
export interface SearchBackends {
  /** Those of the configuration, then the stored ones ordered by id. */
  list(): readonly BackendEntry[];
  /** That of the configuration first; null if there is none. */
  find(id: string): BackendEntry | null;
  /** All four: @throws as the functions of `change-backends.ts`; 503 if the storage fails */
  create(value: JsonObject, by: Actor): Promise<BackendEntry>;
  change(id: string, changes: JsonObject, by: Actor): Promise<BackendEntry>;
  remove(id: string, by: Actor): Promise<void>;
  order(ids: readonly string[], by: Actor): Promise<void>;
}

export interface SearchBackendsOptions extends Omit<BackendTools, "configured" | "by"> {
  readonly log: Pick<Log, "info" | "warn">;
  readonly configured: readonly ConfiguredBackend[];
  /** The lines of the configuration file, by id. */
  readonly lines?: ReadonlyMap<string, number>;
  readonly health: Health;
  readonly channels: Channels;
  /** Told of all that are in force. */
  readonly backends: ChangingBackends;
  /** Sees to it that the prices of these are in force in this process. */
  readonly publishPrices: (backends: readonly ConfiguredBackend[]) => Promise<void>;
  /** The interval at which the storage is checked for changes. */
  readonly intervalMs?: number;
}

/** Puts the configured and the stored backends in force, and follows changes of the stored ones until `stop`. */
export async function openSearchBackends(
  options: SearchBackendsOptions,
): Promise<SearchBackends & { stop(): Promise<void> }> {
  const { store, log, health, channels, backends, publishPrices, intervalMs } = options;
  const fixed = options.configured.map((backend): BackendEntry => {
    const model = backendModel(backend, health.of(backend.provider, pricedAs(backend.id)));
    const line = options.lines?.get(backend.id) ?? null;
    return { id: backend.id, stored: null, line, backend, model, problem: null };
  });
  const configured = options.configured.map(({ id, settings }) => ({ id, name: settings.name }));
  let stored: readonly BackendEntry[] = [];
  backends.set(modelsOf(fixed));

  async function apply(rows: readonly StoredBackend[]): Promise<void> {
    const known = new Map(stored.map((entry) => [entry.id, entry]));
    const next: BackendEntry[] = [];
    for (const row of rows) {
      const before = known.get(row.id) ?? null;
      // Of two stored backends with one name the first by id has it.
      const others = next.map((entry) => ({ id: entry.id, name: entry.backend?.settings.name }));
      const resolved = await resolveBackend(row, options, [...configured, ...others]);
      const entry = enter(resolved, before);
      if (entry.problem !== null && entry.problem !== before?.problem) {
        log.warn({ backend: row.id, problem: entry.problem }, "A stored search backend cannot be used.");
      }
      next.push(entry);
    }
    await publishPrices(next.flatMap(({ backend }) => backend ?? []));
    stored = next;
    backends.set(modelsOf([...fixed, ...next]));
  }

  /** Keeps the health, and the connections, of a backend whose calls are made as before. */
  function enter({ stored: row, backend, problem }: ResolvedBackend, before: BackendEntry | null): BackendEntry {
    const id = row.id;
    if (backend === null) return { id, stored: row, line: null, backend, model: null, problem };
    const isSame = before?.backend && before.problem === problem && hasSameCalls(before.backend, backend);
    const [target] = before?.model?.targets ?? [];
    if (isSame && target) {
      const same = { ...backend, provider: target.provider };
      return { id, stored: row, line: null, backend: same, model: backendModel(same, target.health), problem };
    }
    try {
      channels.open(backend.provider);
    } catch (error) {
      return { id, stored: row, line: null, backend: null, model: null, problem: String(error) };
    }
    const fresh = health.of(backend.provider, pricedAs(id));
    const model = backendModel(backend, problem === null ? fresh : barredHealth(fresh));
    return { id, stored: row, line: null, backend, model, problem };
  }

  const following = await followStore({ store, apply, what: "search backends", log, intervalMs });
  const toolsOf = (by: Actor): BackendTools => ({ ...options, configured, by });

  async function change<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      const result = await work();
      await following.refresh();
      return result;
    } catch (error) {
      if (error instanceof GatewayError) throw error;
      log.warn({ error: String(error) }, "The stored search backends cannot be changed.");
      throw overloaded("storage_unavailable", "Search backends cannot be changed at the moment.", 5);
    }
  }

  const list = () => [...fixed, ...stored];
  /** It is not in force yet if the storage failed between the change and its reading. */
  const entryOf = (changed: StoredBackend): BackendEntry => {
    const found = stored.find(({ id }) => id === changed.id);
    return (
      found ?? {
        id: changed.id,
        stored: changed,
        line: null,
        backend: null,
        model: null,
        problem: "it is not in force yet",
      }
    );
  };

  return {
    list,
    find: (id) => list().find((entry) => entry.id === id) ?? null,
    create: async (value, by) => entryOf(await change(() => createBackend(toolsOf(by), value))),
    change: async (id, changes, by) => entryOf(await change(() => changeBackend(toolsOf(by), id, changes))),
    remove: (id, by) => change(() => removeBackend(toolsOf(by), id)),
    order: async (ids, by) => void (await change(() => orderBackends(toolsOf(by), ids))),
    stop: () => following.stop(),
  };
}

function modelsOf(entries: readonly BackendEntry[]): Model[] {
  return entries.flatMap(({ model }) => model ?? []);
}

/** Whether calls of both go to the same place, in the same way, with the same credentials. */
function hasSameCalls(one: ConfiguredBackend, other: ConfiguredBackend): boolean {
  return JSON.stringify(one.provider) === JSON.stringify(other.provider);
}
