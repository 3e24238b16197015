import type { Actor, NewChange } from "../../changes/change.ts";
import type { Clock } from "../../clock.ts";
import { GatewayError, invalidParameter, missingParameter, notFound } from "../../errors.ts";
import type { JsonObject } from "../../json/values.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { PricedModel } from "../names/models-of.ts";
import type { RouteDefinition } from "../names/route.ts";
import { noSealedFields } from "../stored/credentials.ts";
import { sealItem } from "../stored/seal-item.ts";
import { type FieldProblems, mergedFields, replacedBy, stateOf, wrongFields } from "../stored/stored-item.ts";
import { withNewest } from "../stored/with-newest.ts";
import type { CatalogStore, StoredEntry, StoredKind } from "./catalog-store.ts";

/** Validates single entries in the format of the configuration. */
export interface CatalogReader {
  readProvider(value: unknown): Promise<{ readonly provider: Provider } | { readonly problems: FieldProblems }>;
  /** @param known the providers that it may name, and whether there is the policy `auto` */
  readModel(
    value: unknown,
    known: { readonly providerIds: readonly string[]; readonly auto: boolean },
  ): Promise<{ readonly model: PricedModel } | { readonly problems: FieldProblems }>;
}

/** What the configuration has, beside which entries are stored. */
export interface ConfiguredCatalog {
  readonly providers: readonly Provider[];
  readonly models: readonly PricedModel[];
  readonly routes: readonly RouteDefinition[];
  /** Whether there is the policy `auto`. */
  readonly auto: boolean;
}

export interface CatalogTools {
  readonly store: CatalogStore;
  readonly clock: Clock;
  readonly reader: CatalogReader;
  readonly sealer: Sealer;
  readonly configured: ConfiguredCatalog;
  /** All routes, of the configuration and stored. */
  readonly routes: () => readonly RouteDefinition[] | Promise<readonly RouteDefinition[]>;
  /** Who makes the change. */
  readonly by: Actor;
}

/** Bound the time of a change, and of reading all of them after it. */
const maxStored = { provider: 200, model: 1_000 } as const satisfies Record<StoredKind, number>;

const codes = {
  provider: {
    exists: "provider_exists",
    inConfiguration: "provider_in_configuration",
    inUse: "provider_in_use",
    notFound: "provider_not_found",
    tooMany: "too_many_providers",
  },
  model: {
    exists: "model_exists",
    inConfiguration: "model_in_configuration",
    inUse: "model_in_use",
    notFound: "model_not_found",
    tooMany: "too_many_models",
  },
} as const;

const maxShown = 5;
const maxIdShown = 100;
const what = "stored providers and models";

/**
 * Adds a stored provider or model. `value` has the format of the configuration file.
 * @throws 400 naming the field; 409 if the id is taken, or there is no key to seal its credentials with
 */
export async function createEntry(tools: CatalogTools, kind: StoredKind, value: JsonObject): Promise<StoredEntry> {
  const { id } = value;
  if (id === undefined || id === null) throw missingParameter("id");
  return withNewest(tools.store, what, async (stored, version) => {
    if (typeof id === "string") await refuseTakenId(tools, stored, kind, id);
    const entry = await toStored(tools, stored, kind, value, null);
    if (stored.filter((each) => each.kind === kind).length >= maxStored[kind]) {
      throw GatewayError.of(codes[kind].tooMany, `The maximum of ${maxStored[kind]} stored ${kind}s is reached.`);
    }
    const change = changeOf(tools, kind, "create", null, entry);
    return (await tools.store.put(entry, version, change)) ? entry : null;
  });
}

/**
 * Changes the given fields of a stored provider or model, and leaves the others; null gives a field its default. A provider
 * keeps its credentials unless there are new ones.
 * @throws as `createEntry`; 404 if it does not exist; 400 if kept credentials would go to another origin
 */
export async function changeEntry(
  tools: CatalogTools,
  kind: StoredKind,
  id: string,
  changes: JsonObject,
): Promise<StoredEntry> {
  return withNewest(tools.store, what, async (stored, version) => {
    const before = existing(tools, stored, kind, id);
    if (changes["id"] !== undefined && changes["id"] !== id) {
      throw invalidParameter("id", `the id of the ${kind}, or none: it cannot be changed`);
    }
    const entry = await toStored(tools, stored, kind, { ...changes, id }, before);
    const change = changeOf(tools, kind, "change", before, entry, replacedBy(changes));
    return (await tools.store.put(entry, version, change)) ? entry : null;
  });
}

/**
 * Removes a stored provider or model.
 * @throws 404 if it does not exist; 409 if it belongs to the configuration, or something stored refers to it
 */
export async function removeEntry(tools: CatalogTools, kind: StoredKind, id: string): Promise<void> {
  await withNewest(tools.store, what, async (stored, version) => {
    const before = existing(tools, stored, kind, id);
    // One that the configuration hides is not in use.
    if (!isConfigured(tools, kind, id)) await refuseUsed(tools, stored, kind, id);
    const change = changeOf(tools, kind, "remove", before, null);
    return (await tools.store.remove(kind, id, version, change)) ? true : null;
  });
}

/** The ids that the targets of a model name, as it is stored. */
export function providersNamedBy({ fields }: StoredEntry): readonly unknown[] {
  const targets = Array.isArray(fields["targets"]) ? fields["targets"] : [];
  return targets.map((target: { readonly provider?: unknown } | null) => target?.provider);
}

async function refuseUsed(
  { routes }: CatalogTools,
  stored: readonly StoredEntry[],
  kind: StoredKind,
  id: string,
): Promise<void> {
  const users =
    kind === "provider"
      ? stored.filter((entry) => entry.kind === "model" && providersNamedBy(entry).includes(id))
      : (await routes()).filter((route) => leadsTo(route, id));
  if (users.length === 0) return;
  const names = users.slice(0, maxShown).map((user) => `'${user.id}'`);
  const more = users.length > maxShown ? ` and ${users.length - maxShown} more` : "";
  const noun = `${kind === "provider" ? "model" : "route"}${users.length === 1 ? "" : "s"}`;
  throw GatewayError.of(
    codes[kind].inUse,
    `The ${kind} '${id}' is used by the ${noun} ${names.join(", ")}${more}. Change or remove ${users.length === 1 ? "it" : "them"} first.`,
  );
}

function leadsTo(route: RouteDefinition, id: string): boolean {
  return route.kind === "alias" ? route.leadsTo === id : route.members.some(({ model }) => model === id);
}

function isConfigured({ configured }: CatalogTools, kind: StoredKind, id: string): boolean {
  return configured[kind === "provider" ? "providers" : "models"].some((entry) => entry.id === id);
}

/** The entry that is meant. A stored one can be removed also if the configuration has taken its id since. */
function existing(tools: CatalogTools, stored: readonly StoredEntry[], kind: StoredKind, id: string): StoredEntry {
  const found = stored.find((entry) => entry.kind === kind && entry.id === id);
  if (found) return found;
  refuseConfigured(tools, kind, id);
  throw notFound(codes[kind].notFound, `The ${kind} '${id.slice(0, maxIdShown)}' does not exist.`, "id");
}

function refuseConfigured(tools: CatalogTools, kind: StoredKind, id: string): void {
  if (!isConfigured(tools, kind, id)) return;
  const message = `The ${kind} '${id}' is defined in the configuration file. Change it there.`;
  throw GatewayError.of(codes[kind].inConfiguration, message, { param: "id" });
}

async function refuseTakenId(
  tools: CatalogTools,
  stored: readonly StoredEntry[],
  kind: StoredKind,
  id: string,
): Promise<void> {
  refuseConfigured(tools, kind, id);
  const isTaken = stored.some((entry) => entry.kind === kind && entry.id === id);
  const isRoute = kind === "model" && (await tools.routes()).some((route) => route.id === id);
  if (!isTaken && !isRoute) return;
  const user = isTaken ? kind : "route";
  throw GatewayError.of(codes[kind].exists, `The ${user} '${id.slice(0, maxIdShown)}' exists already.`, {
    param: "id",
  });
}

/** The stored form of an entry. @param before what it is a change of; null if it is new */
async function toStored(
  tools: CatalogTools,
  stored: readonly StoredEntry[],
  kind: StoredKind,
  value: JsonObject,
  before: StoredEntry | null,
): Promise<StoredEntry> {
  const fields = mergedFields(before?.fields ?? null, value);
  // Null counts as absent, also in rules across fields.
  const given = Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null));
  const whole = { ...given, ...fields };
  if (kind === "model") {
    const reading = await tools.reader.readModel(whole, knownToModels(tools.configured, stored));
    if ("problems" in reading) throw wrongFields(kind, reading.problems);
    return { kind, id: reading.model.id, fields, sealed: noSealedFields, updatedAt: tools.clock.now() };
  }
  const reading = await tools.reader.readProvider(whole);
  if ("problems" in reading) throw wrongFields(kind, reading.problems);
  const { provider } = reading;
  const oldBaseUrl = before && (await baseUrlOf(tools, before));
  const item = sealItem({ ...tools, what: kind, id: provider.id, fields, given: value, provider, before, oldBaseUrl });
  return { kind, ...item };
}

/** What a model may refer to: also a stored provider that is not in force, since that may be mended. */
export function knownToModels({ providers, auto }: ConfiguredCatalog, stored: readonly StoredEntry[]) {
  const storedIds = stored.filter(({ kind }) => kind === "provider").map(({ id }) => id);
  return { providerIds: [...new Set([...providers.map(({ id }) => id), ...storedIds])], auto };
}

/** The address of a stored provider; null if it is invalid. */
async function baseUrlOf({ reader }: CatalogTools, { id, fields }: StoredEntry): Promise<string | null> {
  const reading = await reader.readProvider({ ...fields, id });
  return "problems" in reading ? null : reading.provider.baseUrl;
}

/** An entry of the audit trail. It says of credentials only whether there are any, and which were replaced. */
function changeOf(
  { by }: CatalogTools,
  kind: StoredKind,
  action: string,
  before: StoredEntry | null,
  after: StoredEntry | null,
  replaced: readonly string[] = [],
): NewChange {
  const shown = (entry: StoredEntry | null) => entry && (kind === "model" ? entry.fields : stateOf(entry));
  const afterState = after && { ...shown(after), ...(replaced.length > 0 && { replaced }) };
  return { by, kind, id: after?.id ?? before?.id ?? "", action, before: shown(before), after: afterState };
}
