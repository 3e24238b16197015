import type { JsonObject } from "../../json/values.ts";

/** The path with a query string; what is undefined or null is left out. Lists become values separated by commas. */
export function withParameters(path: string, parameters: JsonObject): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined || value === null) continue;
    search.set(
      name,
      typeof value === "string" ? value : Array.isArray(value) ? value.join(",") : JSON.stringify(value),
    );
  }
  return search.size === 0 ? path : `${path}?${search.toString()}`;
}

/** Characters of a query that Google takes. */
export const maxGoogleQuery = 2_048;

/**
 * The query with `site:` operators for providers that have no other domain filter. The caller's words are kept as they are,
 * so an `OR` of theirs may escape the operators: the gateway filters the results in any case.
 * @param maxLength in characters: if there is no room for the operators, they are left out
 */
export function withSiteOperators(
  query: string,
  include: readonly string[],
  exclude: readonly string[],
  maxLength = Number.POSITIVE_INFINITY,
): string {
  const sites = include.map((domain) => `site:${domain}`).join(" OR ");
  const included = include.length > 1 ? `(${sites})` : sites;
  const whole = [query, included, ...exclude.map((domain) => `-site:${domain}`)]
    .filter((part) => part !== "")
    .join(" ");
  return whole.length > maxLength ? query : whole;
}

/** Whether the caller's options have one of these. Null counts as absent. */
export function hasOption(options: JsonObject, names: readonly string[]): boolean {
  return names.some((name) => options[name] !== undefined && options[name] !== null);
}

/** The day that a range of time begins with, as `2026-11-14`, for providers that take dates. @param now milliseconds since 1970 */
export function firstDayOf(range: "day" | "week" | "month" | "year", now: number): string {
  return new Date(now - daysOf[range] * 86_400_000).toISOString().slice(0, 10);
}

const daysOf = { day: 1, week: 7, month: 31, year: 365 } as const;
