import { noTags } from "../attribution/attribution.ts";
import type { ApiKey, KeyLimits } from "./key.ts";

export const noLimits: KeyLimits = { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null };

/** A key with all scopes and no limits. */
export function exampleKey(fields: Partial<ApiKey> = {}): ApiKey {
  return {
    id: "0123456789",
    name: "test",
    secretHash: "0".repeat(64),
    previousSecretHash: null,
    previousExpiresAt: null,
    createdAt: 0,
    expiresAt: null,
    disabledAt: null,
    scopes: { models: null, endpoints: null },
    limits: noLimits,
    admin: false,
    accountId: "default",
    tags: noTags,
    ...fields,
  };
}
