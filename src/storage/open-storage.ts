import { systemClock } from "../clock.ts";
import { parseStorageUrl } from "./location.ts";
import { openSqlite } from "./sqlite/open.ts";
import type { Storage, StorageLog, StorageSettings } from "./storage.ts";

/**
 * Opens the storage at `url` (`sqlite:./data/tollgate.db`, `sqlite::memory:` or `postgres://...`) and brings its schema
 * up to date. Throws a `StorageError` whose message an operator can act on.
 */
export async function openStorage(url: string, options: Partial<StorageSettings> = {}): Promise<Storage> {
  const location = parseStorageUrl(url);
  const settings = { clock: options.clock ?? systemClock, log: options.log ?? silentLog };
  if (location.kind === "sqlite") return openSqlite(location.path, settings);
  // Its client takes 50 ms to load, which a gateway on SQLite does without.
  const { openPostgres } = await import("./postgres/open.ts");
  return openPostgres(location, settings);
}

const silentLog: StorageLog = { warn() {}, info() {} };
