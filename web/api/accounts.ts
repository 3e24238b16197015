import { queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "./client.ts";

/** The first thousand accounts, for lists to choose from. */
export const accountsQuery = queryOptions({
  queryKey: ["accounts"],
  queryFn: async () => (await answerOf(api.GET("/api/admin/accounts", { params: { query: { limit: 1_000 } } }))).data,
});
