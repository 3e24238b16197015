import type { JsonObject } from "../../json/values.ts";
import { SealError } from "../../secrets/seal.ts";
import { type Credentials, type CredentialSealer, openCredentials } from "./credentials.ts";
import type { StoredItem } from "./stored-item.ts";

/** A stored item with its credentials, in the format of the configuration. */
export interface OpenedItem {
  readonly value: JsonObject;
  /** Why its credentials, which `value` then lacks, cannot be used; null if all is well. */
  readonly problem: string | null;
}

/** Opens the credentials of an item. Never throws. */
export function openedItem({ id, fields, sealed }: StoredItem, sealer: CredentialSealer): OpenedItem {
  try {
    return { value: { ...fields, id, ...credentialFields(openCredentials(sealer, sealed)) }, problem: null };
  } catch (error) {
    const why = error instanceof SealError ? error.message : "cannot be read";
    return { value: { ...fields, id }, problem: `its sealed credential ${why}` };
  }
}

function credentialFields({ apiKeys, headers, webhookSecret }: Credentials): JsonObject {
  return {
    ...(apiKeys.length > 0 && { api_keys: apiKeys }),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(webhookSecret !== null && { webhook_secret: webhookSecret }),
  };
}
