import { systemClock } from "../../clock.ts";
import { readStoredBackend } from "../../config/backends/backend-reader.ts";
import type { Config } from "../../config/config.ts";
import { GatewayError } from "../../errors.ts";
import type { ShownBackend } from "../../routing/stored-backends/backend-view.ts";
import type { BackendTools } from "../../routing/stored-backends/change-backends.ts";
import { resolveBackend } from "../../routing/stored-backends/resolve-backend.ts";
import { openSealer } from "../../secrets/secret-key.ts";
import type { Storage } from "../../storage/storage.ts";
import { CommandFailure, exitCodes } from "../exit-codes.ts";
import { operator } from "../operator.ts";

/** The tools to change stored search backends, for this configuration. */
export function backendTools(storage: Storage, { search, secretKeys }: Config): BackendTools {
  const { sealer, caution } = openSealer(secretKeys);
  if (caution !== null) console.error(`tollgate: note: ${caution}`);
  const configured = search.backends.map(({ id, settings }) => ({ id, name: settings.name }));
  return {
    store: storage.searchBackends,
    clock: systemClock,
    read: readStoredBackend,
    sealer,
    configured,
    by: operator(),
  };
}

/** The backends of the configuration, then the stored ones ordered by id. */
export async function listedBackends(tools: BackendTools, { search, lines }: Config): Promise<ShownBackend[]> {
  const listed = search.backends.map((backend): ShownBackend => {
    return { id: backend.id, stored: null, line: lines.backends.get(backend.id) ?? null, backend, problem: null };
  });
  for (const row of await tools.store.list()) {
    const others = listed.map(({ id, backend }) => ({ id, name: backend?.settings.name }));
    listed.push({ id: row.id, line: null, ...(await resolveBackend(row, tools, others)) });
  }
  return listed;
}

/** The backend with this id, that of the configuration first. Throws if there is none. */
export async function backendById(tools: BackendTools, config: Config, id: string): Promise<ShownBackend> {
  const found = (await listedBackends(tools, config)).find((each) => each.id === id);
  if (found) return found;
  throw new CommandFailure(`there is no search backend '${id}'. List them: tollgate search-backends list`);
}

/** Invalid fields are a wrong command line. */
export function asUsageFailure(error: unknown): never {
  const isInvalid = error instanceof GatewayError && error.type === "invalid_request_error";
  throw isInvalid ? new CommandFailure(error.message, exitCodes.usage) : error;
}
