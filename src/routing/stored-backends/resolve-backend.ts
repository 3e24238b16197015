import { SealError, type Sealer } from "../../secrets/seal.ts";
import type { ConfiguredBackend } from "../names/backend-model.ts";
import type { StoredBackend } from "./backend-store.ts";
import type { NamedBackend, ReadBackend } from "./change-backends.ts";
import { type Credentials, openCredentials } from "./credentials.ts";

/** A stored backend, and what can be made of it. */
export interface ResolvedBackend {
  readonly stored: StoredBackend;
  /** Null if it is invalid and not in force. */
  readonly backend: ConfiguredBackend | null;
  /** Why it is not in force, or is never asked; null if all is well. */
  readonly problem: string | null;
}

/**
 * Opens the credentials of a stored backend and reads its fields. Never throws: one that cannot be used says why.
 * @param others must not share a name with it
 */
export async function resolveBackend(
  stored: StoredBackend,
  { read, sealer }: { readonly read: ReadBackend; readonly sealer: Sealer },
  others: readonly NamedBackend[],
): Promise<ResolvedBackend> {
  const { id, fields } = stored;
  const opened = open(stored, sealer);
  const { apiKeys, headers } = opened.credentials;
  const keys = apiKeys.length === 0 ? {} : { api_keys: apiKeys };
  const reading = await read({ ...fields, id, ...keys, headers }, others);
  if (!("problems" in reading)) return { stored, backend: reading.backend, problem: opened.problem };
  const [{ path, found, allowed }] = reading.problems;
  return { stored, backend: null, problem: `${path === "" ? "" : `${path}: `}found ${found}; allowed: ${allowed}` };
}

function open({ id, sealed }: StoredBackend, sealer: Sealer): { credentials: Credentials; problem: string | null } {
  try {
    return { credentials: openCredentials(sealer, id, sealed), problem: null };
  } catch (error) {
    const why = error instanceof SealError ? error.message : "cannot be read";
    return { credentials: { apiKeys: [], headers: {} }, problem: `its sealed credential ${why}` };
  }
}

/** What is valid of the stored backends, without their credentials: as far as their prices go. */
export async function readStoredBackends(
  rows: readonly StoredBackend[],
  read: ReadBackend,
): Promise<readonly ConfiguredBackend[]> {
  const readings = await Promise.all(rows.map(({ id, fields }) => read({ ...fields, id }, [])));
  return readings.flatMap((reading) => ("problems" in reading ? [] : reading.backend));
}
