import type { ApiKey } from "../access/key.ts";
import { tagsToText, textToTags } from "../attribution/attribution.ts";
import type { KeyRow } from "./schema.ts";

/** A key as its row. */
export function keyToRow(key: ApiKey): KeyRow {
  return {
    id: key.id,
    name: key.name,
    secret_hash: key.secretHash,
    previous_secret_hash: key.previousSecretHash,
    previous_expires_at: key.previousExpiresAt,
    created_at: key.createdAt,
    expires_at: key.expiresAt,
    disabled_at: key.disabledAt,
    scope_models: listToText(key.scopes.models),
    scope_endpoints: listToText(key.scopes.endpoints),
    requests_per_minute: key.limits.requestsPerMinute,
    tokens_per_minute: key.limits.tokensPerMinute,
    concurrent_requests: key.limits.concurrentRequests,
    admin: key.admin ? 1 : 0,
    account_id: key.accountId,
    tags: tagsToText(key.tags),
    scope_domains: listToText(key.scopes.domains ?? null),
    scope_ip_ranges: listToText(key.scopes.ipRanges ?? null),
  };
}

/** A row as the key it keeps. */
export function rowToKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    name: row.name,
    secretHash: row.secret_hash,
    previousSecretHash: row.previous_secret_hash,
    previousExpiresAt: row.previous_expires_at,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    disabledAt: row.disabled_at,
    scopes: {
      models: textToList(row.scope_models),
      endpoints: textToList(row.scope_endpoints),
      ...(row.scope_domains !== null && { domains: textToList(row.scope_domains) }),
      ...(row.scope_ip_ranges !== null && { ipRanges: textToList(row.scope_ip_ranges) }),
    },
    limits: {
      requestsPerMinute: row.requests_per_minute,
      tokensPerMinute: row.tokens_per_minute,
      concurrentRequests: row.concurrent_requests,
    },
    admin: row.admin === 1,
    accountId: row.account_id,
    tags: textToTags(row.tags),
  };
}

function listToText(list: readonly string[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

function textToList(text: string | null): string[] | null {
  // Only `listToText` writes these columns.
  return text === null ? null : (JSON.parse(text) as string[]);
}
