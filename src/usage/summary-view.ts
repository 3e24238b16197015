import { type Dimension, dimensionNames, unitOf } from "../dimensions.ts";
import { type Percentiles, percentilesOf } from "./histogram.ts";
import { fromWhole } from "./rollup.ts";
import type { Sums } from "./sum-table.ts";
import type { Summary } from "./summarize.ts";
import type { SummaryKey, SummaryQuery } from "./summary-query.ts";

/** Sums as callers see them. */
interface PublicSums {
  readonly requests: number;
  /** Those that failed or were refused. */
  readonly errors: number;
  /** By dimension; `input` and `output` are always there. */
  readonly tokens: Readonly<Partial<Record<Dimension["name"], number>>>;
  readonly total_tokens: number;
  /** Quantities of what is no token, by dimension. */
  readonly units: Readonly<Partial<Record<Dimension["name"], number>>>;
  readonly amount_microusd: number;
  /** What cached input would have come to as input, less what it came to. */
  readonly cache_saved_microusd: number;
  /** Of the requests that succeeded: null if none did, absent unless `include` asks for it. */
  readonly latency_ms?: Percentiles | null;
  readonly time_to_first_byte_ms?: Percentiles | null;
}

/** A row of a summary: its names, then its sums. */
export type PublicSumRow = PublicSums & Readonly<Partial<Record<SummaryKey, string | null>>>;

/** The JSON of `GET /api/usage/summary`. */
export interface PublicSummary {
  readonly object: "usage.summary";
  readonly by: readonly SummaryKey[];
  readonly time_zone: string;
  /** Unix seconds; null if the time is not bounded. */
  readonly from: number | null;
  readonly to: number | null;
  readonly currency: "USD";
  readonly data: readonly PublicSumRow[];
  readonly total: PublicSums;
}

export function encodeSummary({ rows, total }: Summary, query: SummaryQuery): PublicSummary {
  const { by, timeZone, filter, withDurations } = query;
  const seconds = (time: number | null) => (time === null ? null : time / 1000);
  return {
    object: "usage.summary",
    by,
    time_zone: timeZone,
    from: seconds(filter.from),
    to: seconds(filter.to),
    currency: "USD",
    data: rows.map((row) => ({
      ...Object.fromEntries(by.map((key, place) => [key, row.names[place] ?? null])),
      ...encodeSums(row, withDurations),
    })),
    total: encodeSums(total, withDurations),
  };
}

function encodeSums(sums: Readonly<Sums>, withDurations: boolean): PublicSums {
  const { requests, errors, amountMicrousd, cacheSavedMicrousd, quantities, durations } = sums;
  const tokens: Partial<Record<Dimension["name"], number>> = { input: 0, output: 0 };
  const units: Partial<Record<Dimension["name"], number>> = {};
  let totalTokens = 0;
  for (const [place, name] of dimensionNames.entries()) {
    const sum = quantities[place] ?? 0;
    if (sum === 0) continue;
    if (unitOf(name) === "token") {
      tokens[name] = sum;
      totalTokens += sum;
    } else units[name] = fromWhole(name, sum);
  }
  return {
    requests,
    errors,
    tokens,
    total_tokens: totalTokens,
    units,
    amount_microusd: amountMicrousd,
    cache_saved_microusd: cacheSavedMicrousd,
    ...(withDurations && {
      latency_ms: percentilesOf(durations.latencies),
      time_to_first_byte_ms: percentilesOf(durations.firstBytes),
    }),
  };
}
