import type { Circuit } from "./circuit.ts";
import type { TargetHealth } from "./target-health.ts";

/** The health of a target that must not be asked, such as one whose credentials cannot be opened. */
export function barredHealth(health: TargetHealth): TargetHealth {
  const { label, provider, latency, history } = health;
  return {
    label,
    circuit: alwaysOpen,
    provider,
    latency,
    history,
    inFlight: 0,
    lastFailure: null,
    pickCredential: () => -1,
    credentialAt: () => 0,
    begin() {
      throw new Error(`${label} must not be asked.`);
    },
    answered() {},
    succeeded() {},
    failed() {},
    abandoned() {},
    lost() {},
    ended() {},
  };
}

const alwaysOpen: Circuit = {
  state: "open",
  openUntil: null,
  isWaitRequested: false,
  failureRate: 0,
  admits: () => false,
  begin: () => 0,
  answered() {},
  succeeded() {},
  failed() {},
  pause() {},
  abandoned() {},
};
