import { z } from "zod";

const maxOnPage = 1_000;
const usualOnPage = 50;

/** A whole number in the query. */
export function numberParameter(min: number, max: number, error = `a whole number from ${min} to ${max}`) {
  const number = z.int({ error }).min(min, { error }).max(max, { error });
  return z.preprocess((text) => (/^\d{1,15}$/.test(String(text)) ? Number(text) : text), number);
}

/** The number of items of a page, in the query. */
export const pageLimit = numberParameter(1, maxOnPage)
  .default(usualOnPage)
  .meta({ description: "The number of items." });

/**
 * Makes a page of the items that were found when one more than `limit` was asked for. `next` is the `after` of the page
 * that follows; null if there is none.
 */
export function toPage<Item, View>(
  found: readonly Item[],
  limit: number,
  view: (item: Item) => View,
  place: (item: Item) => string | number,
) {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { object: "list", data: items.map(view), has_more: hasMore, next: hasMore ? place(last) : null };
}
