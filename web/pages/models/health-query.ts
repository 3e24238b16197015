import { queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../api/client.ts";
import type { TargetHealth } from "../../api/types.ts";

/** The health of all targets, looked at again every ten seconds. */
export const healthQuery = queryOptions({
  queryKey: ["health"],
  refetchInterval: 10_000,
  queryFn: async () => {
    const { data } = await answerOf(api.GET("/api/admin/health"));
    return data as unknown as readonly TargetHealth[];
  },
});
