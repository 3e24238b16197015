import type { Downgrade } from "../../answer.ts";
import type { ProviderCall } from "../../provider.ts";
import type { ProviderQuery, TimeRange } from "../../query.ts";
import { firstDayOf } from "../write-request.ts";

/** Categories of things that have no date: Exa refuses dates with them. */
const undated: ReadonlySet<unknown> = new Set(["company", "people"]);

export function toExaRequest(query: ProviderQuery): ProviderCall {
  const { country, timeRange, includeDomains, excludeDomains } = query;
  const isNews = query.type === "news";
  const takesDate = isNews || !undated.has(query.options.category);
  const downgrades: Downgrade[] = [];
  if (timeRange !== null && !takesDate) downgrades.push({ field: "time_range", reason: "unsupported_combination" });
  return {
    method: "POST",
    path: "/search",
    headers: {},
    body: {
      ...query.options,
      query: query.query,
      type: query.depth === "advanced" ? "deep" : "auto",
      numResults: query.count,
      // Without them a result is a title and an address.
      contents: { highlights: true, ...(query.includeRawContent && { text: true }) },
      ...(isNews && { category: "news" }),
      ...(country !== null && { userLocation: country }),
      ...(timeRange !== null && takesDate && { startPublishedDate: startOf(timeRange, query.now) }),
      ...(includeDomains.length > 0 && { includeDomains }),
      ...(excludeDomains.length > 0 && { excludeDomains }),
    },
    downgrades,
  };
}

/** The moment that a range of time begins with: Exa has no words for ranges. */
function startOf(range: TimeRange, now: number): string {
  const timeOfDay = new Date(now).toISOString().slice("2026-11-22".length);
  return `${firstDayOf(range, now)}${timeOfDay}`;
}
