import type { ApiKey } from "../../access/key.ts";

/** A key in JSON output, without its secret and hash. Times are in Unix seconds. */
export function keyView(key: ApiKey, now: number) {
  return {
    id: key.id,
    name: key.name,
    account: key.accountId,
    status: keyStatus(key, now),
    admin: key.admin,
    models: key.scopes.models,
    endpoints: key.scopes.endpoints,
    limits: {
      requests_per_minute: key.limits.requestsPerMinute,
      tokens_per_minute: key.limits.tokensPerMinute,
      concurrent_requests: key.limits.concurrentRequests,
    },
    created_at: toSeconds(key.createdAt),
    expires_at: key.expiresAt === null ? null : toSeconds(key.expiresAt),
    disabled_at: key.disabledAt === null ? null : toSeconds(key.disabledAt),
  };
}

export function keyStatus(key: ApiKey, now: number): "active" | "disabled" | "expired" {
  if (key.disabledAt !== null) return "disabled";
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : "active";
}

/** A short description of a key's scopes. */
export function describeScopes(key: ApiKey): string {
  const { models, endpoints } = key.scopes;
  const parts = [models?.join(",") ?? "all models", endpoints?.join(",") ?? "all endpoints"];
  return [...parts, ...(key.admin ? ["admin"] : [])].join("; ");
}

/** A short description of a key's limits. */
export function describeLimits({ limits }: ApiKey): string {
  const parts = [
    limits.requestsPerMinute === null ? [] : [`${limits.requestsPerMinute} requests/min`],
    limits.tokensPerMinute === null ? [] : [`${limits.tokensPerMinute} tokens/min`],
    limits.concurrentRequests === null ? [] : [`${limits.concurrentRequests} concurrent`],
  ].flat();
  return parts.length === 0 ? "none" : parts.join(", ");
}

/** Formats a time as `2026-01-31 12:00`, in UTC. */
export function describeTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ");
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
