import type { Sealer } from "../../secrets/seal.ts";
import type { ConfiguredBackend } from "../names/backend-model.ts";
import { openedItem } from "../stored/open-item.ts";
import { problemText } from "../stored/stored-item.ts";
import type { StoredBackend } from "./backend-store.ts";
import type { NamedBackend, ReadBackend } from "./change-backends.ts";

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
  const { value, problem } = openedItem(stored, { sealer, place: `search-backend/${stored.id}` });
  const reading = await read(value, others);
  if (!("problems" in reading)) return { stored, backend: reading.backend, problem };
  return { stored, backend: null, problem: problemText(reading.problems) };
}

/** What is valid of the stored backends, without their credentials: as far as their prices go. */
export async function readStoredBackends(
  rows: readonly StoredBackend[],
  read: ReadBackend,
): Promise<readonly ConfiguredBackend[]> {
  const readings = await Promise.all(rows.map(({ id, fields }) => read({ ...fields, id }, [])));
  return readings.flatMap((reading) => ("problems" in reading ? [] : reading.backend));
}
