import type { Summary } from "../../api/types.ts";
import { classNames } from "../../components/class-names.ts";
import { exactMoney, money } from "../../format/money.ts";
import { compact, count, share } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { formatOf, isDuration, type Metric, metrics, percentilesOf, valueOf } from "./metrics.ts";

const text = words.overview;
type Sums = Summary["total"];

interface TilesProps {
  readonly total: Sums;
  /** The same of the time before, of the same length; null while it is not known. */
  readonly earlier: Sums | null;
  readonly metric: Metric;
  readonly onChange: (metric: Metric) => void;
}

/** The sums of the range. Each chooses what the chart shows. */
export function Tiles({ total, earlier, metric, onChange }: TilesProps) {
  return (
    <div
      role="group"
      aria-label={text.title}
      className="grid grid-cols-2 border-b border-line sm:grid-cols-4 xl:grid-cols-7"
    >
      {metrics.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === metric}
          onClick={() => onChange(name)}
          title={exactly(name, total)}
          className={classNames(
            "relative flex flex-col items-start gap-0.5 border-line px-4 py-3 text-left hover:bg-hover focus-visible:-outline-offset-2 sm:px-5",
            "max-sm:last:col-span-2 max-sm:nth-[2n]:border-l max-sm:nth-[n+3]:border-t",
            "sm:max-xl:not-nth-[4n+1]:border-l sm:max-xl:nth-[n+5]:border-t xl:not-first:border-l",
          )}
        >
          {name === metric && <span className="absolute inset-x-0 -bottom-px h-0.5 bg-accent" />}
          <span className="text-xs text-dim">{text.metrics[name]}</span>
          <span className="numeric text-xl font-semibold tracking-tight">{figure(name, total)}</span>
          <span className="min-h-4 text-2xs text-faint">{noteOf(name, total)}</span>
          <span className="min-h-4 text-2xs text-faint">{earlier && text.before(figure(name, earlier))}</span>
        </button>
      ))}
    </div>
  );
}

/** The number of a tile: a sum, or the median of durations. */
function figure(metric: Metric, sums: Sums): string {
  if (!isDuration(metric)) return formatOf(metric)(valueOf(metric, sums));
  const percentiles = percentilesOf(metric, sums);
  return percentiles === null ? "–" : formatOf(metric)(percentiles.p50);
}

/** The same to the last digit. */
function exactly(metric: Metric, sums: Sums): string {
  if (isDuration(metric)) return figure(metric, sums);
  const value = valueOf(metric, sums);
  return metric === "spend" || metric === "saved" ? exactMoney(value) : count(value);
}

function noteOf(metric: Metric, total: Sums): string | null {
  const { tokens, requests } = total;
  if (isDuration(metric)) {
    const percentiles = percentilesOf(metric, total);
    if (percentiles !== null) return text.p95(formatOf(metric)(percentiles.p95));
    return total.latency_ms === undefined ? text.notKept : null;
  }
  if (requests === 0) return null;
  if (metric === "spend") return text.perRequest(money(Math.round(total.amount_microusd / requests)));
  if (metric === "errors") return text.errorShare(share(total.errors / requests));
  if (metric === "tokens") return text.inOut(compact(tokens.input ?? 0), compact(tokens.output ?? 0));
  if (metric === "requests") return null;
  const read = tokens.cache_read ?? 0;
  return read > 0 ? text.cached(share(read / (read + (tokens.input ?? 0)))) : null;
}
