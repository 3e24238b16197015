import type { Summary } from "../../api/types.ts";
import { money } from "../../format/money.ts";
import { compact, milliseconds } from "../../format/number.ts";

type Sums = Summary["total"];

/** What adds up, and can be stacked by groups. */
export const sumMetrics = ["spend", "requests", "tokens", "errors", "saved"] as const;
export type SumMetric = (typeof sumMetrics)[number];
/** How long something took: percentiles, which do not add up. */
export const durationMetrics = ["latency", "firstByte"] as const;
export type DurationMetric = (typeof durationMetrics)[number];

export type Metric = SumMetric | DurationMetric;
/** In the order of the tiles. */
export const metrics: readonly Metric[] = ["spend", "requests", "tokens", "errors", ...durationMetrics, "saved"];

export function asMetric(text: string | undefined): Metric {
  return metrics.find((metric) => metric === text) ?? "spend";
}

export function isDuration(metric: Metric): metric is DurationMetric {
  return metric === "latency" || metric === "firstByte";
}

const values: Readonly<Record<SumMetric, (sums: Sums) => number>> = {
  spend: (sums) => sums.amount_microusd,
  requests: (sums) => sums.requests,
  tokens: (sums) => sums.total_tokens,
  errors: (sums) => sums.errors,
  saved: (sums) => sums.cache_saved_microusd,
};

export function valueOf(metric: SumMetric, sums: Sums): number {
  return values[metric](sums);
}

/** Percentiles in milliseconds; null if nothing is known of them. */
export function percentilesOf(
  metric: DurationMetric,
  sums: Sums,
): { readonly p50: number; readonly p95: number } | null {
  return (metric === "latency" ? sums.latency_ms : sums.time_to_first_byte_ms) ?? null;
}

export function formatOf(metric: Metric): (value: number) => string {
  if (isDuration(metric)) return milliseconds;
  return metric === "spend" || metric === "saved" ? money : compact;
}
