import { queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "../../api/client.ts";

/** The providers with their health, looked at again every ten seconds. */
export const providersQuery = queryOptions({
  queryKey: ["providers"],
  refetchInterval: 10_000,
  queryFn: async () => (await answerOf(api.GET("/api/admin/providers"))).data,
});

/** A model as operators set it, with the health of its targets. */
export const modelQuery = (id: string) =>
  queryOptions({
    queryKey: ["model-definition", id],
    refetchInterval: 10_000,
    queryFn: () => answerOf(api.GET("/api/admin/models/{id}", { params: { path: { id } } })),
  });

/** What a change of a provider, a model or a route makes out of date. */
export const catalogKeys = [["providers"], ["model-definition"], ["routes"], ["catalog"], ["health"]] as const;
