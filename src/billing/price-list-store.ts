import type { PriceList } from "./prices.ts";

/** Where price lists are kept. A list is never changed once it is there. Implemented by the storage room. */
export interface PriceListStore {
  /** The list with the highest version, null where there is none yet. */
  latest(): Promise<PriceList | null>;
  find(version: number): Promise<PriceList | null>;
  /** Keeps a list. False where its version is taken already: another process was quicker. */
  insert(list: PriceList): Promise<boolean>;
}
