import { infiniteQueryOptions, useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Range } from "../../range/range.ts";
import { useUser } from "../../session/session.ts";
import { listRecords } from "../../usage/usage-api.ts";
import { type Filters, toUsageFilter } from "../../filters/filters.ts";

const pageSize = 100;
const liveMs = 2_000;
/** A list keeps all of its pages, so that it can be gone through both ways: 20,000 records. */
const maxPages = 200;

/** The records that match, newest first. Live, it is the newest page, asked for again and again. */
export function useRecords(filters: Filters, range: Range, isLive: boolean) {
  const user = useUser();
  const filter = toUsageFilter(filters);
  const queries = useQueryClient();
  const options = infiniteQueryOptions({
    queryKey: ["records", filter, range],
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) => listRecords(user, filter, range, { limit: pageSize, after: pageParam }, signal),
    getNextPageParam: ({ next }, pages) => (next === null || pages.length === maxPages ? null : String(next)),
    staleTime: Infinity,
    // To compare all pages with what they were, with each that comes, takes longer than to show them.
    structuralSharing: false,
  });
  const paged = useInfiniteQuery({ ...options, enabled: !isLive });
  /** Asks for the first page again, and not for all that were read. */
  const refresh = () => {
    queries.setQueryData(
      options.queryKey,
      (known) => known && { pages: known.pages.slice(0, 1), pageParams: known.pageParams.slice(0, 1) },
    );
    void paged.refetch();
  };
  const live = useQuery({
    queryKey: ["live-records", filter],
    enabled: isLive,
    refetchInterval: liveMs,
    queryFn: ({ signal }) => {
      const lastHour = { from: Math.floor(Date.now() / 1000) - 3_600, to: null };
      return listRecords(user, filter, lastHour, { limit: pageSize, after: null }, signal);
    },
  });
  const pages = isLive ? live.data && [live.data] : paged.data?.pages;
  const records = useMemo(() => pages?.flatMap(({ data }) => data), [pages]);
  return {
    records,
    /** Whether there are more than a list keeps. */
    isCut: !isLive && pages?.length === maxPages && pages.at(-1)?.has_more === true,
    paged,
    refresh,
    error: isLive ? live.error : paged.error,
    isFetching: isLive ? live.isFetching : paged.isFetching,
  };
}
