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
    scopes: { models: textToList(row.scope_models), endpoints: textToList(row.scope_endpoints) },
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

/** The columns that a change of a key sets; those of fields not given are left out. */
export function changeToColumns(change: Partial<Omit<ApiKey, "id" | "createdAt">>): Partial<KeyRow> {
  const columns: Partial<KeyRow> = {};
  if (change.name !== undefined) columns.name = change.name;
  if (change.secretHash !== undefined) columns.secret_hash = change.secretHash;
  if (change.previousSecretHash !== undefined) columns.previous_secret_hash = change.previousSecretHash;
  if (change.previousExpiresAt !== undefined) columns.previous_expires_at = change.previousExpiresAt;
  if (change.expiresAt !== undefined) columns.expires_at = change.expiresAt;
  if (change.disabledAt !== undefined) columns.disabled_at = change.disabledAt;
  if (change.admin !== undefined) columns.admin = change.admin ? 1 : 0;
  if (change.accountId !== undefined) columns.account_id = change.accountId;
  if (change.tags !== undefined) columns.tags = tagsToText(change.tags);
  if (change.scopes !== undefined) {
    columns.scope_models = listToText(change.scopes.models);
    columns.scope_endpoints = listToText(change.scopes.endpoints);
  }
  if (change.limits !== undefined) {
    columns.requests_per_minute = change.limits.requestsPerMinute;
    columns.tokens_per_minute = change.limits.tokensPerMinute;
    columns.concurrent_requests = change.limits.concurrentRequests;
  }
  return columns;
}

function listToText(list: readonly string[] | null): string | null {
  return list === null ? null : JSON.stringify(list);
}

function textToList(text: string | null): string[] | null {
  // Only `listToText` writes these columns.
  return text === null ? null : (JSON.parse(text) as string[]);
}
