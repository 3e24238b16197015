import type { ApiKey } from "./key.ts";

/** A key in the admin API and in the output of commands, without its secret and hash. Times are in Unix seconds. */
export function keyView(key: ApiKey, now: number) {
  const { id, name, account, ...settings } = keySettingsView(key);
  return { id, name, account, status: keyStatus(key, now), ...settings };
}

/** The same without what time alone changes, for the audit trail. */
export function keySettingsView(key: ApiKey) {
  return {
    id: key.id,
    name: key.name,
    account: key.accountId,
    admin: key.admin,
    models: key.scopes.models,
    endpoints: key.scopes.endpoints,
    domains: key.scopes.domains ?? null,
    ip_ranges: key.scopes.ipRanges ?? null,
    limits: {
      requests_per_minute: key.limits.requestsPerMinute,
      tokens_per_minute: key.limits.tokensPerMinute,
      concurrent_requests: key.limits.concurrentRequests,
    },
    tags: key.tags,
    created_at: toSeconds(key.createdAt),
    expires_at: secondsOrNull(key.expiresAt),
    disabled_at: secondsOrNull(key.disabledAt),
    old_secret_expires_at: secondsOrNull(key.previousExpiresAt),
  };
}

export const keyStatuses = ["active", "disabled", "expired"] as const;

export function keyStatus(key: ApiKey, now: number): (typeof keyStatuses)[number] {
  if (key.disabledAt !== null) return "disabled";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}

function secondsOrNull(milliseconds: number | null): number | null {
  return milliseconds === null ? null : toSeconds(milliseconds);
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
