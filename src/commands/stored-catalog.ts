import type { Config } from "../config/config.ts";
import { noSealer } from "../secrets/seal.ts";
import type { Storage } from "../storage/storage.ts";

/** The configuration with the providers and models that are stored and in force beside it, without their credentials. */
export async function withStoredCatalog(storage: Storage, config: Config): Promise<Config> {
  const rows = await storage.catalog.list();
  if (rows.length === 0) return config;
  const { resolveCatalog } = await import("../routing/stored-catalog/resolve-catalog.ts");
  const { catalogReader } = await import("../config/catalog/catalog-reader.ts");
  const reader = catalogReader(config.server.publicUrl);
  const sealer = noSealer("are not opened here");
  const { providers, models } = await resolveCatalog(rows, { reader, sealer, configured: config });
  return {
    ...config,
    providers: [...config.providers, ...providers.flatMap(({ provider }) => provider ?? [])],
    models: [...config.models, ...models.flatMap(({ model }) => model ?? [])],
  };
}
