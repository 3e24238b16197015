import type { Page } from "./page.ts";

const dayMs = 86_400_000;

/** When a page was published. */
export function publishedAt({ ageDays }: Pick<Page, "ageDays">): Date {
  return new Date(Date.now() - ageDays * dayMs);
}

/** As search engines write it: `3 days ago` in the first month, then `Aug 31, 2022`, or with the whole name of the month. */
export function writtenDate(page: Pick<Page, "ageDays">, month: "short" | "long"): string {
  if (page.ageDays === 0) return "1 hour ago";
  if (page.ageDays < 30) return `${page.ageDays} day${page.ageDays === 1 ? "" : "s"} ago`;
  return publishedAt(page).toLocaleDateString("en-US", { timeZone: "UTC", day: "numeric", month, year: "numeric" });
}
