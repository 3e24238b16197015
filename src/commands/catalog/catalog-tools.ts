import { systemClock } from "../../clock.ts";
import { catalogReader } from "../../config/catalog/catalog-reader.ts";
import type { Config } from "../../config/config.ts";
import { GatewayError } from "../../errors.ts";
import type { CatalogTools } from "../../routing/stored-catalog/change-catalog.ts";
import { resolveCatalog } from "../../routing/stored-catalog/resolve-catalog.ts";
import type { ModelEntry, ProviderEntry } from "../../routing/stored-catalog/stored-catalog.ts";
import { openSealer } from "../../secrets/secret-key.ts";
import type { Storage } from "../../storage/storage.ts";
import { CommandFailure, exitCodes } from "../exit-codes.ts";
import { operator } from "../operator.ts";

/** The tools to change stored providers and models, for this configuration. */
export function catalogTools(storage: Storage, config: Config): CatalogTools {
  const { sealer, caution } = openSealer(config.secretKeys);
  if (caution !== null) console.error(`tollgate: note: ${caution}`);
  return {
    store: storage.catalog,
    clock: systemClock,
    reader: catalogReader(config.server.publicUrl),
    sealer,
    configured: config,
    routes: async () => [...config.routes, ...(await storage.routes.list()).map(({ definition }) => definition)],
    by: operator(),
  };
}

/** The providers and models of the configuration, then the stored ones ordered by id. */
export async function listedCatalog(
  tools: CatalogTools,
  { providers, models, lines }: Config,
): Promise<{ readonly providers: readonly ProviderEntry[]; readonly models: readonly ModelEntry[] }> {
  const resolved = await resolveCatalog(await tools.store.list(), tools);
  return {
    providers: [
      ...providers.map((provider): ProviderEntry => {
        const line = lines.providers.get(provider.id) ?? null;
        return { id: provider.id, stored: null, line, provider, problem: null };
      }),
      ...resolved.providers.map((each): ProviderEntry => ({ id: each.stored.id, line: null, ...each })),
    ],
    models: [
      ...models.map((config): ModelEntry => {
        return { id: config.id, stored: null, line: lines.models.get(config.id) ?? null, config, problem: null };
      }),
      ...resolved.models.map(({ stored, model, problem }): ModelEntry => {
        return { id: stored.id, stored, line: null, config: model, problem };
      }),
    ],
  };
}

/** Invalid fields are a wrong command line. */
export function asUsageFailure(error: unknown): never {
  const isInvalid = error instanceof GatewayError && error.type === "invalid_request_error";
  throw isInvalid ? new CommandFailure(error.message, exitCodes.usage) : error;
}
