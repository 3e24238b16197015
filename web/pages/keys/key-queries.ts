import { infiniteQueryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../api/client.ts";

const pageSize = 100;

/** The keys, newest first, page by page. */
export const keysQuery = infiniteQueryOptions({
  queryKey: ["keys"],
  initialPageParam: null as string | null,
  queryFn: ({ pageParam }) => {
    const query = { limit: pageSize, ...(pageParam !== null && { after: pageParam }) };
    return answerOf(api.GET("/api/admin/keys", { params: { query } }));
  },
  getNextPageParam: ({ next }) => (next === null ? null : String(next)),
});
