import type { Provider } from "../../upstream/provider.ts";
import { createGate, type Gate } from "./gate.ts";

/** What all targets of a provider share: its places and its credentials. */
export interface ProviderHealth {
  readonly gate: Gate;
  /** One for each of the provider's keys; a single null where it wants none. */
  readonly apiKeys: readonly (string | null)[];
  /** Until when each credential is not used, since the provider refused it. Milliseconds since 1970. */
  readonly restsUntil: number[];
  /** Where the next search for a credential begins, so that they take turns. */
  cursor: number;
}

export function createProviderHealth({ apiKeys, maxInFlight }: Provider): ProviderHealth {
  const credentials = apiKeys.length === 0 ? [null] : apiKeys;
  return { gate: createGate(maxInFlight), apiKeys: credentials, restsUntil: credentials.map(() => 0), cursor: 0 };
}
