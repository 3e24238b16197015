import { monthMs, type RollupSpan } from "../../usage/rollup.ts";
import type { StorageKind } from "../migrations/migrations.ts";

/** The first instant of the span that contains a time, as an expression. Times are milliseconds since 1970. */
export function startOfSpanIn(kind: StorageKind, span: RollupSpan, time: string): string {
  if (span !== monthMs) return `${time} - ${time} % ${span}`;
  return kind === "postgres"
    ? `(extract(epoch from date_trunc('month', to_timestamp(${time} / 1000) at time zone 'UTC')) * 1000)::bigint`
    : `unixepoch(${time} / 1000, 'unixepoch', 'start of month') * 1000`;
}
