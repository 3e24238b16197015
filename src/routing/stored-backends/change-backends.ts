import type { Actor, NewChange } from "../../changes/change.ts";
import type { Clock } from "../../clock.ts";
import type { ErrorNameOf } from "../../error-catalogue.ts";
import { GatewayError, invalidParameter, missingParameter, notFound } from "../../errors.ts";
import type { JsonObject } from "../../json/values.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { ConfiguredBackend } from "../names/backend-model.ts";
import { sealItem } from "../stored/seal-item.ts";
import { type FieldProblems, mergedFields, replacedBy, stateOf, wrongFields } from "../stored/stored-item.ts";
import { withNewest } from "../stored/with-newest.ts";
import type { BackendStore, StoredBackend } from "./backend-store.ts";

/** A backend as far as its names go. */
export interface NamedBackend {
  readonly id: string;
  readonly name?: unknown;
}

/** Validates one backend in the format of the configuration. @param others must not share a name with it */
export type ReadBackend = (value: unknown, others: readonly NamedBackend[]) => Promise<BackendReading>;

type BackendReading = { readonly backend: ConfiguredBackend } | { readonly problems: FieldProblems };

export interface BackendTools {
  readonly store: BackendStore;
  readonly clock: Clock;
  readonly read: ReadBackend;
  readonly sealer: Sealer;
  /** The backends of the configuration. */
  readonly configured: readonly NamedBackend[];
  /** Who makes the change. */
  readonly by: Actor;
}

const maxStored = 100;
const what = "search backends";

/**
 * Adds a stored backend. `value` has the format of the configuration file.
 * @throws 400 naming the field; 409 if the id is taken, or there is no key to seal its credentials with
 */
export async function createBackend(tools: BackendTools, value: JsonObject): Promise<StoredBackend> {
  const { id } = value;
  if (id === undefined || id === null) throw missingParameter("id");
  return withNewest(tools.store, what, async (stored, version) => {
    if (typeof id === "string") {
      refuseConfigured(tools, id);
      if (stored.some((other) => other.id === id)) {
        throw GatewayError.of("backend_exists", `The search backend '${id.slice(0, 100)}' exists already.`, {
          param: "id",
        });
      }
    }
    const backend = await toStored(tools, stored, value, null);
    if (stored.length >= maxStored) {
      throw conflict("too_many_backends", `The maximum of ${maxStored} stored search backends is reached.`);
    }
    const change = entryOf(tools, "create", null, backend);
    return (await tools.store.put([backend], version, [change])) ? backend : null;
  });
}

/**
 * Changes the given fields of a stored backend, and leaves the others; null gives a field its default. Without `api_key`
 * and `api_keys` it keeps its keys.
 * @throws as `createBackend`; 404 if it does not exist
 */
export async function changeBackend(tools: BackendTools, id: string, changes: JsonObject): Promise<StoredBackend> {
  return withNewest(tools.store, what, async (stored, version) => {
    const before = existing(tools, stored, id);
    if (changes.id !== undefined && changes.id !== id) {
      throw invalidParameter("id", "the id of the backend, or none: it cannot be changed");
    }
    const others = stored.filter((other) => other !== before);
    const backend = await toStored(tools, others, { ...changes, id }, before);
    const change = entryOf(tools, actionOf(changes), before, backend, replacedBy(changes));
    return (await tools.store.put([backend], version, [change])) ? backend : null;
  });
}

/** Removes a stored backend. @throws 404 if it does not exist; 409 if it belongs to the configuration */
export async function removeBackend(tools: BackendTools, id: string): Promise<void> {
  await withNewest(tools.store, what, async (stored, version) => {
    const before = existing(tools, stored, id);
    return (await tools.store.remove(id, version, entryOf(tools, "remove", before, null))) ? true : null;
  });
}

/**
 * Gives the stored backends the priorities 1, 2, 3, ... in this order, all or none.
 * @param ids of all stored backends, each once
 * @throws 400 if one is missing or there twice; 404 for an unknown one; 409 for one of the configuration
 */
export async function orderBackends(tools: BackendTools, ids: readonly string[]): Promise<readonly StoredBackend[]> {
  return withNewest(tools.store, what, async (stored, version) => {
    const inOrder = ids.map((id) => existing(tools, stored, id, "ids"));
    if (new Set(ids).size < ids.length) throw invalidParameter("ids", "each search backend once");
    const missing = stored.find(({ id }) => !ids.includes(id));
    if (missing) throw invalidParameter("ids", `all stored search backends: '${missing.id}' is missing`);
    if (inOrder.length === 0) return [];
    const ordered = inOrder.map((before, index) => {
      const fields = { ...before.fields, priority: index + 1 };
      return { before, after: { ...before, fields, updatedAt: tools.clock.now() } };
    });
    const changed = ordered.filter(({ before, after }) => before.fields.priority !== after.fields.priority);
    if (changed.length === 0) return inOrder;
    const changes = changed.map(({ before, after }) => entryOf(tools, "order", before, after));
    const backends = changed.map(({ after }) => after);
    return (await tools.store.put(backends, version, changes)) ? ordered.map(({ after }) => after) : null;
  });
}

/** The backend that is meant. A stored one can be removed also if the configuration has taken its id since. */
function existing(
  tools: BackendTools,
  stored: readonly StoredBackend[],
  id: string,
  param: string | null = null,
): StoredBackend {
  const found = stored.find((each) => each.id === id);
  if (found) return found;
  refuseConfigured(tools, id);
  throw notFound("backend_not_found", `The search backend '${id.slice(0, 100)}' does not exist.`, param);
}

function refuseConfigured({ configured }: BackendTools, id: string): void {
  if (!configured.some((backend) => backend.id === id)) return;
  const message = `The search backend '${id}' is defined in the configuration file. Change it there.`;
  throw GatewayError.of("backend_in_configuration", message, { param: "id" });
}

/** The stored form of a backend. @param before what it is a change of; null if it is new */
async function toStored(
  tools: BackendTools,
  others: readonly StoredBackend[],
  value: JsonObject,
  before: StoredBackend | null,
): Promise<StoredBackend> {
  const fields = mergedFields(before?.fields ?? null, value);
  // The names that the program does not know are reported as they were written.
  const names = [...tools.configured, ...others.map((other) => ({ id: other.id, name: other.fields["name"] }))];
  const reading = await tools.read({ ...value, ...fields }, names);
  if ("problems" in reading) throw wrongFields("search backend", reading.problems);
  const { id, provider } = reading.backend;
  const oldBaseUrl = before && (await baseUrlOf(tools, before));
  return sealItem({ ...tools, what: "search backend", id, fields, given: value, provider, before, oldBaseUrl });
}

/** The address of a stored backend; null if it is invalid. */
async function baseUrlOf({ read }: BackendTools, { id, fields }: StoredBackend): Promise<string | null> {
  const reading = await read({ ...fields, id }, []);
  return "problems" in reading ? null : reading.backend.provider.baseUrl;
}

/** `enable` and `disable` if that is all of a change. */
function actionOf(changes: JsonObject): string {
  const names = Object.keys(changes).filter((name) => name !== "id");
  if (names.length !== 1 || typeof changes.enabled !== "boolean") return "change";
  return changes.enabled ? "enable" : "disable";
}

/** An entry of the audit trail. It says of credentials only whether there are any, and which were replaced. */
function entryOf(
  { by }: BackendTools,
  action: string,
  before: StoredBackend | null,
  after: StoredBackend | null,
  replaced: readonly string[] = [],
): NewChange {
  const id = after?.id ?? before?.id ?? "";
  const afterState = after && { ...stateOf(after), ...(replaced.length > 0 && { replaced }) };
  return { by, kind: "search_backend", id, action, before: before && stateOf(before), after: afterState };
}

function conflict(code: ErrorNameOf<"conflict_error">, message: string): GatewayError {
  return GatewayError.of(code, message);
}
