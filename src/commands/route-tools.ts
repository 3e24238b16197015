import { systemClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import { routeReader } from "../config/routes/route-reader.ts";
import { type ChangeTools, isAmong } from "../routing/stored/change-routes.ts";
import type { Storage } from "../storage/storage.ts";

/** What changing stored routes takes, beside this configuration. */
export function changeTools(storage: Storage, config: Config): ChangeTools {
  return {
    store: storage.routes,
    clock: systemClock,
    read: routeReader(config),
    isModel: isAmong(config.models),
    isConfigured: isAmong(config.routes),
  };
}
