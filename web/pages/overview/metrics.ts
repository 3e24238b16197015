import type { Summary } from "../../api/types.ts";
import { money } from "../../format/money.ts";
import { compact } from "../../format/number.ts";

export const metrics = ["spend", "requests", "tokens", "errors"] as const;
export type Metric = (typeof metrics)[number];

type Sums = Summary["total"];

export function asMetric(text: string | undefined): Metric {
  return metrics.find((metric) => metric === text) ?? "spend";
}

const values: Readonly<Record<Metric, (sums: Sums) => number>> = {
  spend: (sums) => sums.amount_microusd,
  requests: (sums) => sums.requests,
  tokens: (sums) => sums.total_tokens,
  errors: (sums) => sums.errors,
};

export function valueOf(metric: Metric, sums: Sums): number {
  return values[metric](sums);
}

export function formatOf(metric: Metric): (value: number) => string {
  return metric === "spend" ? money : compact;
}
