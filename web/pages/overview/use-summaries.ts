import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type Filters, hasLatency, toUsageFilter } from "../../filters/filters.ts";
import { timeZone } from "../../format/time.ts";
import { type Range, rangeBefore } from "../../range/range.ts";
import { useUser } from "../../session/session.ts";
import { summarize, type SummaryOptions } from "../../usage/usage-api.ts";
import type { Unit } from "./buckets.ts";
import type { Group } from "./groups.ts";
import { isDuration, type Metric } from "./metrics.ts";

interface Shown {
  readonly filters: Filters;
  readonly range: Range;
  readonly unit: Unit;
  readonly group: Group;
  readonly metric: Metric;
}

/**
 * The sums that the page shows. Percentiles do not add up: those of groups and those of points of time are asked for by
 * themselves, the latter only while they are shown.
 */
export function useSummaries({ filters, range, unit, group, metric }: Shown) {
  const user = useUser();
  const filter = toUsageFilter(filters);
  const before = useMemo(() => rangeBefore(range), [range]);
  const isTold = hasLatency(filters);
  const summary = (of: Range, options: SummaryOptions, enabled = true) => ({
    queryKey: ["summary", filter, of, options],
    placeholderData: keepPreviousData,
    enabled,
    queryFn: ({ signal }: { readonly signal: AbortSignal }) => summarize(user, filter, of, options, signal),
  });
  const withLatency = isTold && group !== "end_user";
  return {
    byGroup: useQuery(summary(range, { by: [group], timeZone, withLatency })),
    byTime: useQuery(summary(range, { by: [unit, group], timeZone }, !isDuration(metric))),
    durations: useQuery(summary(range, { by: [unit], timeZone, withLatency: isTold }, isDuration(metric))),
    earlier: useQuery(summary(before, { by: [], timeZone, withLatency: isTold })),
  };
}
