import type { Charge } from "../../billing/prices/prices.ts";
import type { JsonObject } from "../../json/values.ts";
import type { Attempt } from "../attempt/attempt.ts";

/** A search that was made within another request. */
export interface RanSearch {
  /** Which backend was chosen, and why not the others, as in the record of a search. Null if none was looked for. */
  readonly receipt: JsonObject | null;
  /** Billing units; 0 if it failed. */
  readonly units: number;
  /** Null if it failed. */
  readonly charge: Charge | null;
  readonly attempts: readonly Attempt[];
}
