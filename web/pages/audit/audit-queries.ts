import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../api/client.ts";

/** How often a running audit is looked at. */
const lookEveryMs = 1_000;

/** The audits, newest first. They are asked for again while one runs. */
export const auditsQuery = infiniteQueryOptions({
  queryKey: ["audits"],
  initialPageParam: null as string | null,
  queryFn: ({ pageParam }) => {
    const query = { limit: 25, ...(pageParam !== null && { after: pageParam }) };
    return answerOf(api.GET("/api/admin/audits", { params: { query } }));
  },
  getNextPageParam: ({ next }) => (next === null ? null : String(next)),
  refetchInterval: ({ state }) => (state.data?.pages[0]?.data[0]?.status === "running" ? lookEveryMs : false),
});

/** One audit with what it found. */
export const auditQuery = (id: string) =>
  queryOptions({
    queryKey: ["audit", id],
    queryFn: () => answerOf(api.GET("/api/admin/audits/{id}", { params: { path: { id } } })),
    refetchInterval: ({ state }) => (state.data?.status === "running" ? lookEveryMs : false),
  });
