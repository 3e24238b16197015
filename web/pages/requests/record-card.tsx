import type { UsageRecord } from "../../api/types.ts";
import { At, Money } from "../../components/values.tsx";
import { milliseconds } from "../../format/number.ts";
import { StatusBadge } from "./status-badge.tsx";

/** A record on a small screen: two lines in place of columns. */
export function RecordCard({ record }: { readonly record: UsageRecord }) {
  return (
    <div role="cell" className="flex h-full flex-col justify-center gap-0.5">
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 truncate font-medium">{record.model}</span>
        <Money amount={record.billing.amount_microusd} />
      </div>
      <div className="flex items-center gap-2 text-xs text-dim">
        <StatusBadge status={record.status} />
        <span className="min-w-0 flex-1 truncate">
          <At at={record.created_at} />
        </span>
        <span className="numeric">{milliseconds(record.routing.latency_ms)}</span>
      </div>
    </div>
  );
}
