import type { UpstreamFault } from "../../upstream/fault.ts";
import type { TargetHealth } from "./target-health.ts";

/** Begins an attempt at a target, and gives what is reported of it. */
export function beginAttempt(health: TargetHealth, credential = 0) {
  const pass = health.begin(credential);
  return {
    answered: (latencyMs: number) => health.answered(pass, latencyMs),
    succeeded: () => health.succeeded(pass, credential),
    failed: (fault: UpstreamFault) => health.failed(pass, credential, fault),
    abandoned: () => health.abandoned(pass),
    lost: (silentMs: number) => health.lost(pass, silentMs),
    ended: () => health.ended(),
  };
}
