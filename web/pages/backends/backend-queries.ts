import { queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../api/client.ts";

/** The search backends with their health, looked at again every ten seconds. */
export const backendsQuery = queryOptions({
  queryKey: ["search-backends"],
  refetchInterval: 10_000,
  queryFn: async () => (await answerOf(api.GET("/api/admin/search-backends"))).data,
});
