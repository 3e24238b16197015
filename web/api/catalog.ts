import { queryOptions } from "@tanstack/react-query";
import { answerOf, api } from "./client.ts";
import type { CatalogModel } from "./types.ts";

/** The models of this gateway, with their prices. */
export const catalogQuery = queryOptions({
  queryKey: ["catalog"],
  staleTime: 60_000,
  queryFn: async () => {
    const { data } = await answerOf(api.GET("/api/models/catalog"));
    // The document tells only what all models have.
    return data as unknown as readonly CatalogModel[];
  },
});
