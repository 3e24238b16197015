import type { PriceChange } from "../../../billing/price-lists/price-list-store.ts";

/** What made a version, or put it in force. */
export function priceChangeView({ version, author, note, createdAt }: PriceChange) {
  return { version, created_at: Math.floor(createdAt / 1000), author, note };
}
