import type { Provider } from "../../upstream/provider.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import type { Candidate } from "./candidate.ts";
import type { CircuitState } from "../health/circuit.ts";
import type { Model } from "../names/model.ts";
import { createProviderHealth, createTargetHealth, type ProviderHealth } from "../health/target-health.ts";

/** A clock that a test advances. Milliseconds since 1970. */
export interface SimulatedClock {
  now(): number;
  advance(milliseconds: number): void;
}

export function simulatedClock(start = 1_700_000_000_000): SimulatedClock {
  let time = start;
  return {
    now: () => time,
    advance(milliseconds) {
      time += milliseconds;
    },
  };
}

export function exampleProvider(fields: Partial<Provider> = {}): Provider {
  return {
    id: "vendor",
    dialects: ["openai-chat"],
    baseUrl: "http://vendor.invalid/v1",
    apiKeys: [],
    headers: {},
    timeouts: { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000, totalMs: 1_000 },
    maxInFlight: null,
    circuit: { failures: 3, openMs: 30_000, failureRate: 2, minCalls: 20 },
    onCallerAbort: "cancel",
    ...fields,
  };
}

/** A model with one target, which shares its health with no other unless `shared` is given. */
export function exampleCandidate(
  clock: SimulatedClock,
  id = "model",
  fields: {
    readonly provider?: Partial<Provider>;
    readonly model?: Partial<Model>;
    readonly weight?: number;
    readonly shared?: ProviderHealth;
    readonly onChange?: (label: string, state: CircuitState, openUntil: number | null) => void;
  } = {},
): Candidate {
  const provider = exampleProvider({ id: `vendor-of-${id}`, ...fields.provider });
  const { shared = createProviderHealth(provider), onChange = () => {}, weight = 1 } = fields;
  const health = createTargetHealth({ provider, model: id, shared, clock, onChange });
  const target = { provider, model: id, weight, pricedAs: `${provider.id}/${id}`, health };
  return { target, model: exampleModel({ id, targets: [target], pricedAs: id, ...fields.model }) };
}

export function exampleModel(fields: Partial<Model> & Pick<Model, "id">): Model {
  return {
    name: fields.id,
    description: null,
    ownedBy: "test",
    created: 0,
    targets: [],
    strategy: null,
    retry: null,
    pricedAs: fields.id,
    endpoints: ["chat"],
    parameters: {},
    inputModalities: ["text"],
    outputModalities: ["text"],
    contextLength: null,
    maxOutputTokens: null,
    hostedTools: "omit",
    temperature: { min: 0, max: 2 },
    deprecatedAt: null,
    ...fields,
  };
}

/** The fault for a provider's error status. */
export function statusFault(
  status: number,
  details: { readonly retryAfterMs?: number; readonly code?: string; readonly message?: string } = {},
): UpstreamFault {
  const { retryAfterMs = null, code = null, message = null } = details;
  return new UpstreamFault("status", `HTTP ${status}`, {
    status,
    retryAfterMs,
    providerError: { message, type: null, code, param: null },
  });
}
