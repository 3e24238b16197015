import type { Config } from "../config/config.ts";
import type { Storage } from "../storage/storage.ts";
import { CommandFailure } from "./exit-codes.ts";
import type { ConfigOptions } from "./options.ts";

/**
 * Loads the configuration, opens its storage for `use`, and closes it afterwards.
 * @param beforeOpening called with its URL before a database is made if there is none; may throw
 */
export async function withStorage<Result>(
  options: ConfigOptions,
  use: (storage: Storage, config: Config) => Promise<Result>,
  beforeOpening?: (url: string) => Promise<void>,
): Promise<Result> {
  const { loadConfig } = await import("../config/load.ts");
  const config = await loadConfig({ path: options.config, environment: process.env });
  const { openStorage } = await import("../storage/open-storage.ts");
  await beforeOpening?.(config.storage.url);
  const storage = await openStorage(config.storage.url);
  try {
    return await use(storage, config);
  } finally {
    await storage.close();
  }
}

/** Throws if the database is a file that does not exist: what is asked about it would be true of an empty one. */
export async function databaseExists(url: string): Promise<void> {
  const { parseStorageUrl } = await import("../storage/location.ts");
  const location = parseStorageUrl(url);
  if (location.kind !== "sqlite" || (await Bun.file(location.path).exists())) return;
  throw new CommandFailure(`there is no database at ${location.path}`);
}
