import type { Clock } from "../../clock.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import { type Circuit, type CircuitState, createCircuit } from "./circuit.ts";
import { createDecayedAverage, type DecayedAverage } from "./decayed-average.ts";
import { classOf } from "./fault-class.ts";
import type { ProviderHealth } from "./provider-health.ts";

/** How one target has been doing, and whether it is to be asked. */
export interface TargetHealth {
  /** `provider/model`, for the log. */
  readonly label: string;
  readonly circuit: Circuit;
  readonly provider: ProviderHealth;
  /** Milliseconds to the first byte. */
  readonly latency: DecayedAverage;
  readonly inFlight: number;
  /** The place of a credential that may be used now and is not in `used`, the next in turn; -1 where there is none. */
  pickCredential(used: readonly number[]): number;
  /** From when on one of its credentials may be used. Milliseconds since 1970; not after now where one may. */
  readonly credentialAt: () => number;
  /** An attempt begins. */
  begin(credential: number): HealthWatch;
}

/** What an attempt reports of its target. `ended` is called once, and one of the outcomes at most once. */
export interface HealthWatch {
  /** The first byte of a good answer came after so many milliseconds. */
  answered(latencyMs: number): void;
  succeeded(): void;
  failed(fault: UpstreamFault): void;
  /** The caller left: nothing was learned. */
  abandoned(): void;
  /** Another target was quicker than this one, which has been silent for so many milliseconds. */
  lost(silentMs: number): void;
  /** The call is over: its place is free. */
  ended(): void;
}

export interface TargetHealthOptions {
  readonly provider: Provider;
  readonly model: string;
  readonly shared: ProviderHealth;
  readonly clock: Clock;
  readonly onChange: (label: string, state: CircuitState, openUntil: number | null) => void;
}

/** Where a provider says that it is too much and not for how long, another of its credentials rests for a moment. */
const shortRestMs = 1_000;

export function createTargetHealth(options: TargetHealthOptions): TargetHealth {
  const { provider, shared, clock } = options;
  const label = `${provider.id}/${options.model}`;
  const circuit = createCircuit({
    rules: provider.circuit,
    clock,
    onChange: (state, openUntil) => options.onChange(label, state, openUntil),
  });
  const latency = createDecayedAverage();
  const hasSpare = shared.apiKeys.length > 1;
  /** Until when each credential has used up this target's rate. */
  const limitedUntil = shared.apiKeys.map(() => 0);
  let inFlight = 0;

  const freeAt = (credential: number) => Math.max(shared.restsUntil[credential] ?? 0, limitedUntil[credential] ?? 0);

  const credentialAt = () => (hasSpare ? Math.min(...shared.apiKeys.map((_, place) => freeAt(place))) : 0);

  /** Where the fault was the credential's, lets it rest. Whether it was. */
  const blameCredential = (credential: number, fault: UpstreamFault): boolean => {
    const now = clock.now();
    const kind = classOf(fault);
    if (kind === "rate_limit") limitedUntil[credential] = now + (waitOf(fault) ?? shortRestMs);
    // It may be good for the provider's other models.
    else if (fault.status === 403) limitedUntil[credential] = now + provider.circuit.openMs;
    else if (kind === "credential") shared.restsUntil[credential] = now + provider.circuit.openMs;
    else return false;
    return true;
  };

  const fail = (pass: number, credential: number, fault: UpstreamFault) => {
    const wait = waitOf(fault);
    const isCredentials = hasSpare && blameCredential(credential, fault);
    if (isCredentials && credentialAt() <= clock.now()) circuit.abandoned(pass);
    else if (wait === null) circuit.failed(pass);
    else circuit.pause(pass, isCredentials ? credentialAt() : clock.now() + wait, classOf(fault) === "overloaded");
  };

  return {
    label,
    circuit,
    provider: shared,
    latency,
    get inFlight() {
      return inFlight;
    },
    credentialAt,
    pickCredential(used) {
      if (!hasSpare) return used.length === 0 ? 0 : -1;
      const now = clock.now();
      for (let step = 0; step < shared.apiKeys.length; step++) {
        const place = (shared.cursor + step) % shared.apiKeys.length;
        if (freeAt(place) > now || used.includes(place)) continue;
        return place;
      }
      return -1;
    },
    begin(credential) {
      const pass = circuit.begin();
      shared.cursor = (credential + 1) % shared.apiKeys.length;
      inFlight++;
      shared.gate.enter();
      return {
        answered(latencyMs) {
          latency.add(latencyMs, clock.now());
          circuit.answered(pass);
        },
        succeeded: () => circuit.succeeded(),
        failed(fault) {
          // A target that says what is wrong with a request is well.
          if (isRequestsOwn(fault)) {
            circuit.answered(pass);
            circuit.succeeded();
          } else fail(pass, credential, fault);
        },
        abandoned: () => circuit.abandoned(pass),
        lost(silentMs) {
          // How slow it would have been nobody knows, but that it is no quicker than this.
          if (silentMs > (latency.last ?? 0)) latency.add(silentMs, clock.now());
          circuit.abandoned(pass);
        },
        ended() {
          inFlight--;
          shared.gate.leave();
        },
      };
    },
  };
}

function isRequestsOwn(fault: UpstreamFault): boolean {
  const kind = classOf(fault);
  return kind === "caller" || kind === "context_length";
}

/** Milliseconds that a provider which has too much to do asks to wait. */
function waitOf(fault: UpstreamFault): number | null {
  const asks = fault.retryAfterMs !== null && ["rate_limit", "overloaded"].includes(classOf(fault));
  return asks ? fault.retryAfterMs : null;
}
