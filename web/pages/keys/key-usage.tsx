import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import type { Summary } from "../../api/types.ts";
import { Chart } from "../../components/chart.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { money } from "../../format/money.ts";
import { count } from "../../format/number.ts";
import { timeZone } from "../../format/time.ts";
import { type Range, unitOf, writeRange } from "../../range/range.ts";
import { useRange } from "../../range/range-picker.tsx";
import { useUser } from "../../session/session.ts";
import { summarize } from "../../usage/usage-api.ts";
import { words } from "../../words/en.ts";
import { bucketsOf, seriesOf, type Unit } from "../overview/buckets.ts";

const text = words.keys.sheet;

/** What a key has spent in the range that all pages share. A click on a bar leads to its requests. */
export function KeyUsage({ keyId }: { readonly keyId: string }) {
  const user = useUser();
  const range = useRange();
  const unit = unitOf(range);
  const query = useQuery({
    queryKey: ["key usage", keyId, range, unit],
    queryFn: ({ signal }) => summarize(user, { key: keyId }, range, { by: [unit], timeZone }, signal),
  });
  return (
    <Loaded query={query} rows={3}>
      {(summary) => <UsageOf keyId={keyId} summary={summary} range={range} unit={unit} />}
    </Loaded>
  );
}

interface UsageOfProps {
  readonly keyId: string;
  readonly summary: Summary;
  readonly range: Range;
  readonly unit: Unit;
}

function UsageOf({ keyId, summary, range, unit }: UsageOfProps) {
  const navigate = useNavigate();
  const end = range.to ?? Math.ceil(Date.now() / 60_000) * 60;
  const starts = useMemo(() => bucketsOf(range.from, end, unit), [range.from, end, unit]);
  const series = useMemo(
    () =>
      seriesOf(
        summary.data,
        unit,
        starts,
        () => text.spend,
        (row) => row.amount_microusd,
        text.spend,
      ),
    [summary, unit, starts],
  );
  const { requests, errors, amount_microusd: amount } = summary.total;
  if (requests === 0) return <p className="text-sm text-dim">{text.unused}</p>;
  const pick = (place: number) => {
    const from = starts[place];
    if (from === undefined) return;
    void navigate({ to: "/requests", search: { range: writeRange(from, starts[place + 1] ?? end), key: keyId } });
  };
  return (
    <>
      <p className="mb-1 text-sm">{text.sums(money(amount), count(requests), count(errors))}</p>
      <Chart
        label={text.chart}
        kind="bars"
        starts={starts}
        series={series}
        format={money}
        onHover={() => {}}
        onPick={pick}
        onZoom={() => {}}
      />
    </>
  );
}
