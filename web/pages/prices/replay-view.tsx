import type { PriceReplay } from "../../api/types.ts";
import { classNames } from "../../components/class-names.ts";
import { Money } from "../../components/values.tsx";
import { count } from "../../format/number.ts";
import { words } from "../../words/en.ts";

const text = words.prices.replay;
const maxShown = 8;

/** What the usage of the last days would have cost by one version and by another. */
export function ReplayView({ replay }: { readonly replay: Omit<PriceReplay, "object" | "from" | "to"> }) {
  const { before_microusd: before, after_microusd: after, requests } = replay;
  const isExact = replay.models.every((row) => row.is_exact);
  const changed = replay.models.filter((row) => row.before_microusd !== row.after_microusd);
  return (
    <section className="rounded-md border border-line bg-surface p-3 text-sm">
      <h3 className="mb-1 text-xs font-semibold text-dim">{text.title(replay.days)}</h3>
      {requests === 0 ? (
        <p className="text-dim">{text.nothing}</p>
      ) : (
        <>
          <p className="flex flex-wrap items-baseline gap-x-2">
            <span className="text-dim">
              <Money amount={before} />
            </span>
            <span aria-hidden="true">{text.arrow}</span>
            <strong>
              <Money amount={after} />
            </strong>
            <Difference before={before} after={after} />
            <span className="text-xs text-faint">{text.requests(requests, count(requests))}</span>
          </p>
          {changed.length > 0 && (
            <table className="numeric mt-2 w-full">
              <tbody>
                {changed.slice(0, maxShown).map((row) => (
                  <tr key={`${row.model} ${row.provider}`} className="border-t border-line">
                    <td className="max-w-48 truncate py-1 pr-2 font-medium">{row.model}</td>
                    <td className="py-1 pr-2 text-right text-dim">
                      <Money amount={row.before_microusd} />
                    </td>
                    <td className="py-1 pr-2 text-right">
                      <Money amount={row.after_microusd} />
                    </td>
                    <td className="py-1 text-right">
                      <Difference before={row.before_microusd} after={row.after_microusd} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          <p className="mt-2 text-xs text-faint">
            {isExact ? text.exact : text.approximate}
            {replay.unknown_requests > 0 && ` ${text.unknown(replay.unknown_requests, count(replay.unknown_requests))}`}
          </p>
        </>
      )}
    </section>
  );
}

function Difference({ before, after }: { readonly before: number; readonly after: number }) {
  if (before === after) return <span className="text-xs text-dim">{text.same}</span>;
  const share = before === 0 ? null : (after - before) / before;
  const words = share === null ? text.more : text.share(share);
  return <span className={classNames("text-xs", after > before ? "text-warn" : "text-good")}>{words}</span>;
}
