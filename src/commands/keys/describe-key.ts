import type { ApiKey } from "../../access/key.ts";

/** A short description of a key's scopes. */
export function describeScopes(key: ApiKey): string {
  const { models, endpoints, domains, ipRanges } = key.scopes;
  const parts = [models?.join(",") ?? "all models", endpoints?.join(",") ?? "all endpoints"];
  if (domains) parts.push(`searches of ${domains.join(",")}`);
  if (ipRanges) parts.push(`from ${ipRanges.join(",")}`);
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

/** The fixed tags of a key as `team=search, env=prod`, or `none`. */
export function describeTags({ tags }: ApiKey): string {
  const entries = Object.entries(tags);
  return entries.length === 0 ? "none" : entries.map(([name, value]) => `${name}=${value}`).join(", ");
}

/** Formats a time as `2026-01-31 12:00`, in UTC. */
export function describeTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace("T", " ");
}
