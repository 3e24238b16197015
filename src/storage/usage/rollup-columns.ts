import { dimensionNames } from "../../dimensions.ts";
import type { Rollup } from "../../usage/rollup.ts";

/** The columns of sums in `usage_rollups`, one for each dimension, in the order of `dimensionNames`. */
export const quantityColumns = dimensionNames.map((name) => `sum_${name}`);

const identityColumns = ["span", "key_id", "starts_at", "account_id", "model", "endpoint", "status", "provider"];
export const sumColumns = ["requests", "amount_microusd", ...quantityColumns];
export const rollupColumns = [...identityColumns, ...sumColumns];

/** The end of a statement that inserts rollups: those that are there are added to. */
export const addOnConflict = `on conflict (${identityColumns.join(", ")}) do update set
  ${sumColumns.map((column) => `${column} = usage_rollups.${column} + excluded.${column}`).join(", ")}`;

/** The values of `rollupColumns`. */
export function rollupValues(rollup: Rollup): (string | number)[] {
  const { span, keyId, accountId, startsAt, model, endpoint, status, provider, requests, amountMicrousd, quantities } =
    rollup;
  return [span, keyId, startsAt, accountId, model, endpoint, status, provider, requests, amountMicrousd, ...quantities];
}
