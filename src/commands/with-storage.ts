import type { Config } from "../config/config.ts";
import type { Storage } from "../storage/storage.ts";
import type { ConfigOptions } from "./options.ts";

/** Loads the configuration, opens its storage for `use`, and closes it afterwards. */
export async function withStorage<Result>(
  options: ConfigOptions,
  use: (storage: Storage, config: Config) => Promise<Result>,
): Promise<Result> {
  const { loadConfig } = await import("../config/load.ts");
  const config = await loadConfig({ path: options.config, environment: process.env });
  const { openStorage } = await import("../storage/open-storage.ts");
  const storage = await openStorage(config.storage.url);
  try {
    return await use(storage, config);
  } finally {
    await storage.close();
  }
}
