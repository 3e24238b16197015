import type { PriceDocument } from "../../billing/prices/price-document.ts";
import type { SearchUnits } from "../../metering/expected-usage.ts";
import type { SearchBackend } from "../../search/backend.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { TargetHealth } from "../health/target-health.ts";
import type { Model } from "./model.ts";

/** A search backend as it is configured. */
export interface ConfiguredBackend {
  readonly id: string;
  /** Where its searches go. Its id is the name of the search provider. */
  readonly provider: Provider;
  readonly settings: SearchBackend;
  readonly units: SearchUnits;
  /** Null if the configuration has none. */
  readonly prices: PriceDocument | null;
}

/** The id under which the price list has a backend: a model of the same id has other prices. */
export function pricedAs(id: string): string {
  return `search:${id}`;
}

/** A backend as far as the price list goes. */
export function pricedBackend({ id, prices }: ConfiguredBackend) {
  return { id: pricedAs(id), prices, targets: [] };
}

/** A backend as a model with one target, which is all that the path of a request sees of it. */
export function backendModel({ id, provider, settings, units }: ConfiguredBackend, health: TargetHealth): Model {
  return {
    id,
    name: settings.name,
    description: null,
    ownedBy: settings.provider,
    created: 0,
    targets: [{ provider, model: id, weight: 1, pricedAs: pricedAs(id), health }],
    strategy: null,
    retry: null,
    pricedAs: pricedAs(id),
    endpoints: ["search", "fetch"],
    parameters: {},
    inputModalities: ["text"],
    outputModalities: ["text"],
    contextLength: null,
    maxOutputTokens: null,
    hostedTools: "omit",
    temperature: { min: 0, max: 2 },
    deprecatedAt: null,
    search: settings,
    searchUnits: units,
  };
}
