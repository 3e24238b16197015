import type { BodyLogPolicy } from "./body-log-policy.ts";

/** A policy in the admin API and in the audit trail. */
export function policyView({ enabled, redact, retentionMs, maxBodyBytes, maxBytes, clearedAt }: BodyLogPolicy) {
  return {
    enabled,
    redact,
    retention: durationText(retentionMs),
    max_body_bytes: maxBodyBytes,
    max_bytes: maxBytes,
    cleared_at: clearedAt === null ? null : Math.floor(clearedAt / 1000),
  };
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const;

/** A duration in the largest unit that divides it. */
function durationText(ms: number): string {
  const [unit, size] = units.find(([, size]) => ms % size === 0) ?? ["s", 1_000];
  return `${ms / size}${unit}`;
}
