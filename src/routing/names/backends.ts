import type { GatewayError } from "../../errors.ts";
import { notFound } from "../../errors.ts";
import { nearestNames } from "../../nearest-name.ts";
import type { Destination } from "./destination.ts";
import type { Model } from "./model.ts";
import { type FaultClass, faultClasses } from "./route.ts";

/** The search backends of this gateway: models with the settings of a backend. */
export interface Backends {
  /** In the order of the configuration, disabled ones too. */
  readonly all: readonly Model[];
  /** The backends that a name leads to: `auto`, an id, a backend's name or a provider's. Null if there is none, or it is disabled. */
  find(name: string): Destination | null;
  /** The names that lead somewhere. */
  readonly names: readonly string[];
}

/** Search backends that operators change while the gateway runs. A request keeps those that it was planned with. */
export interface ChangingBackends extends Backends {
  set(all: readonly Model[]): void;
}

export function createChangingBackends(): ChangingBackends {
  let current = createBackends([]);
  return {
    get all() {
      return current.all;
    },
    find: (name) => current.find(name),
    get names() {
      return current.names;
    },
    set(all) {
      current = createBackends(all);
    },
  };
}

/** The name that leaves the choice to the gateway. */
export const autoBackend = "auto";

/** No further backend is asked so many milliseconds after the request arrived. */
const budgetMs = 10_000;

/** All that is not the request's own fault. */
const allFaults: ReadonlySet<FaultClass> = new Set(faultClasses);

/** Resolves all names once. Disabled backends are only members of `auto`, to be named in its receipts. */
export function createBackends(all: readonly Model[]): Backends {
  const enabled = all.filter(({ search }) => search?.isEnabled);
  const byName = new Map<string, Destination>([[autoBackend, destination(autoBackend, null, all)]]);
  const add = (name: string, made: () => Destination) => {
    if (!byName.has(name)) byName.set(name, made());
  };
  for (const backend of enabled) add(backend.id, () => named(backend, enabled));
  for (const backend of enabled) add(backend.search?.name ?? backend.id, () => named(backend, enabled));
  for (const { search } of enabled) {
    const provider = search?.provider ?? "";
    const ofProvider = enabled.filter((each) => each.search?.provider === provider);
    const [first] = ofProvider;
    if (first)
      add(provider, () => (ofProvider.length === 1 ? named(first, enabled) : destination(provider, first, ofProvider)));
  }
  return { all, find: (name) => byName.get(name) ?? null, names: [...byName.keys()] };
}

/** The destination of one backend: itself, and the others if it may fall back. */
function named(backend: Model, enabled: readonly Model[]): Destination {
  if (!backend.search?.mayFallBack) return destination(backend.id, backend, [backend]);
  return destination(backend.id, backend, [backend, ...enabled.filter((each) => each !== backend)]);
}

function destination(id: string, explicit: Model | null, models: readonly Model[]): Destination {
  const isChoice = explicit === null || models.length > 1;
  return {
    id,
    isPolicy: isChoice,
    strategyName: explicit === null ? "auto" : "direct",
    strategy: "priority",
    members: models.map((model) => ({ model, weight: model.search?.weight ?? 1 })),
    names: [],
    requires: [],
    isStrict: false,
    retry: { attempts: Math.max(3, models.length), budgetMs, on: [] },
    retryOn: new Set(),
    fallbackOn: allFaults,
    hedgeAfterMs: null,
    rotation: { next: 0 },
    backends: {
      named: explicit?.id === id ? explicit : null,
      isExplicit: explicit !== null,
      survivesRefusal: isChoice,
    },
  };
}

/** 404 for an unknown or disabled backend, with the nearest names. */
export function backendNotFound(name: string, { names }: Backends): GatewayError {
  const nearest = nearestNames(name, names, 3);
  const hint = nearest.length === 0 ? "" : ` Did you mean ${nearest.map((near) => `'${near}'`).join(" or ")}?`;
  return notFound("backend_not_found", `The search backend '${name.slice(0, 100)}' does not exist.${hint}`, "backend");
}
