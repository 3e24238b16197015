import type { Attempt } from "../../api/types.ts";

/**
 * When each attempt began, in milliseconds from the arrival of the request. Records of older versions do not say so: an
 * attempt then follows the one before it.
 */
export function startsOf(attempts: readonly Pick<Attempt, "started_after_ms" | "latency_ms">[]): readonly number[] {
  const starts: number[] = [];
  let end = 0;
  for (const { started_after_ms: known, latency_ms: latency } of attempts) {
    const start = known ?? end;
    starts.push(start);
    end = start + latency;
  }
  return starts;
}
