import type { Clock } from "../../clock.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { FaultKind, UpstreamFault } from "../../upstream/fault.ts";
import { type ConcurrencyLimiter, createConcurrencyLimiter } from "./concurrency-limiter.ts";
import { type Circuit, type CircuitState, createCircuit } from "./circuit.ts";
import { createOutcomeHistory, type OutcomeHistory } from "./outcome-history.ts";
import { createDecayedAverage, type DecayedAverage } from "./decayed-average.ts";
import { classOf, isOfOneRequest, mayBeOfRequest } from "./fault-class.ts";

/** The state that all targets of a provider share. */
export interface ProviderHealth {
  readonly limiter: ConcurrencyLimiter;
  /** The provider's keys; a single null if it needs none. */
  readonly apiKeys: readonly (string | null)[];
  /** The time until which each credential is paused because the provider rejected it. Milliseconds since 1970. */
  readonly pausedUntil: number[];
  /** The index at which the next search for a credential begins (round robin). */
  cursor: number;
}

/** A failed call, for operators. */
export interface LastFailure {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly fault: { readonly kind: FaultKind; readonly status: number | null };
  /** Without secrets and what it quotes of the request; null if there are no words. */
  readonly message: string | null;
}

/** The health of one target: whether it may be asked, and with which credential. */
export interface TargetHealth {
  /** `provider/model`, for the log. */
  readonly label: string;
  readonly circuit: Circuit;
  readonly provider: ProviderHealth;
  /** Milliseconds to the first byte. */
  readonly latency: DecayedAverage;
  readonly inFlight: number;
  /** How its calls ended within the last day. */
  readonly history: OutcomeHistory;
  /** The last failed call; null before one. */
  lastFailure: LastFailure | null;
  /** The index of the next usable credential, round robin, that is not in `used`; -1 if there is none. */
  pickCredential(used: readonly number[]): number;
  /** The time at which a credential is usable, in milliseconds since 1970; in the past if one is usable now. */
  readonly credentialAt: () => number;
  /** An attempt begins. */
  begin(credential: number): number;
  /** The first byte of a good answer came after so many milliseconds. */
  answered(pass: number, latencyMs: number): void;
  succeeded(pass: number, credential: number): void;
  failed(pass: number, credential: number, fault: UpstreamFault): void;
  /** The request was cancelled: nothing was learned. */
  abandoned(pass: number): void;
  /** Another target was quicker; this one has been silent for so many milliseconds. */
  lost(pass: number, silentMs: number): void;
  /** The call is over: its slot is free. */
  ended(): void;
}

export interface TargetHealthOptions {
  readonly provider: Provider;
  readonly model: string;
  readonly shared: ProviderHealth;
  readonly clock: Clock;
  readonly onChange: (label: string, state: CircuitState, openUntil: number | null) => void;
}

/** Pause of a rate-limited credential if the provider does not say how long to wait. */
const defaultPauseMs = 1_000;

export function createProviderHealth({ apiKeys, maxInFlight }: Provider): ProviderHealth {
  const keys = apiKeys.length === 0 ? [null] : apiKeys;
  return { limiter: createConcurrencyLimiter(maxInFlight), apiKeys: keys, pausedUntil: keys.map(() => 0), cursor: 0 };
}

export function createTargetHealth(options: TargetHealthOptions): TargetHealth {
  const { provider, shared, clock } = options;
  const label = `${provider.id}/${options.model}`;
  const circuit = createCircuit({
    rules: provider.circuit,
    clock,
    onChange: (state, openUntil) => options.onChange(label, state, openUntil),
  });
  const latency = createDecayedAverage();
  const history = createOutcomeHistory();
  const hasSpare = shared.apiKeys.length > 1;
  /** The time until which each credential is rate-limited at this target. */
  const limitedUntil = shared.apiKeys.map(() => 0);
  /** The credentials with which the target has answered. */
  const goodCredentials = new Set<number>();
  let inFlight = 0;

  const freeAt = (credential: number) => Math.max(shared.pausedUntil[credential] ?? 0, limitedUntil[credential] ?? 0);

  const credentialAt = () => (hasSpare ? Math.min(...shared.apiKeys.map((_, index) => freeAt(index))) : 0);

  /** Pauses the credential if the fault was its own; returns whether it was. */
  const pauseCredential = (credential: number, fault: UpstreamFault): boolean => {
    const now = clock.now();
    const kind = classOf(fault);
    if (kind === "rate_limit") limitedUntil[credential] = now + (waitOf(fault) ?? defaultPauseMs);
    // The credential may have access to the provider's other models.
    else if (fault.status === 403) limitedUntil[credential] = now + provider.circuit.openMs;
    else if (kind === "credential") shared.pausedUntil[credential] = now + provider.circuit.openMs;
    else return false;
    return true;
  };

  const succeed = () => {
    history.add(false, clock.now());
    circuit.succeeded();
  };

  const fail = (pass: number, credential: number, fault: UpstreamFault) => {
    history.add(true, clock.now());
    const wait = waitOf(fault);
    const isCredentialFault = hasSpare && pauseCredential(credential, fault);
    if (isCredentialFault && credentialAt() <= clock.now()) circuit.abandoned(pass);
    else if (wait === null) circuit.failed(pass);
    else circuit.pause(pass, isCredentialFault ? credentialAt() : clock.now() + wait, classOf(fault) === "overloaded");
  };

  return {
    label,
    circuit,
    provider: shared,
    latency,
    get inFlight() {
      return inFlight;
    },
    history,
    lastFailure: null,
    credentialAt,
    pickCredential(used) {
      if (!hasSpare) return used.length === 0 ? 0 : -1;
      const now = clock.now();
      for (let step = 0; step < shared.apiKeys.length; step++) {
        const index = (shared.cursor + step) % shared.apiKeys.length;
        if (freeAt(index) > now || used.includes(index)) continue;
        return index;
      }
      return -1;
    },
    begin(credential) {
      const pass = circuit.begin();
      shared.cursor = (credential + 1) % shared.apiKeys.length;
      inFlight++;
      shared.limiter.acquire();
      return pass;
    },
    answered(pass, latencyMs) {
      latency.add(latencyMs, clock.now());
      circuit.answered(pass);
    },
    succeeded(_pass, credential) {
      goodCredentials.add(credential);
      succeed();
    },
    failed(pass, credential, fault) {
      // A target that rejects an invalid request is healthy.
      if (isRequestFault(fault)) {
        circuit.answered(pass);
        succeed();
      } else if (isOfOneRequest(fault) || (goodCredentials.has(credential) && mayBeOfRequest(fault))) {
        // One caller must not be able to take a target away from the others.
        circuit.abandoned(pass);
      } else fail(pass, credential, fault);
    },
    abandoned: (pass) => circuit.abandoned(pass),
    lost(pass, silentMs) {
      // Its latency is unknown, but at least this.
      if (silentMs > (latency.last ?? 0)) latency.add(silentMs, clock.now());
      circuit.abandoned(pass);
    },
    ended() {
      inFlight--;
      shared.limiter.release();
    },
  };
}

function isRequestFault(fault: UpstreamFault): boolean {
  const kind = classOf(fault);
  return kind === "caller" || kind === "context_length";
}

/** The wait in milliseconds that an overloaded or rate-limiting provider asks for; null if none. */
function waitOf(fault: UpstreamFault): number | null {
  const asks = fault.retryAfterMs !== null && ["rate_limit", "overloaded"].includes(classOf(fault));
  return asks ? fault.retryAfterMs : null;
}
