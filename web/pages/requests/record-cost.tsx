import type { UsageRecord } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { exactMoney, money } from "../../format/money.ts";
import { words } from "../../words/en.ts";

const text = words.record;

/** Costs of a provider in USD and seconds have more places than a number shows by itself. */
const allPlaces = { maximumFractionDigits: 12 } as const;

/** A markup is in hundredths of a percent of the lines above it. */
function isMarkup({ dimension }: UsageRecord["billing"]["line_items"][number]): boolean {
  return dimension === "markup";
}

/** The lines of the charge: their sum is the amount, to the micro-dollar. */
export function RecordCost({ record }: { readonly record: UsageRecord }) {
  const { billing } = record;
  const [what = "", quantity = "", price = "", amount = ""] = text.lines.map((name) => name.replace(">", ""));
  return (
    <>
      {billing.line_items.length === 0 ? (
        <p className="text-sm text-dim">{text.noCost}</p>
      ) : (
        <table className="numeric w-full text-sm">
          <thead>
            <tr className="text-xs text-faint">
              <th className="pb-1 text-left font-medium">{what}</th>
              <th className="pb-1 text-right font-medium">{quantity}</th>
              <th className="pb-1 text-right font-medium">{price}</th>
              <th className="pb-1 text-right font-medium">{amount}</th>
            </tr>
          </thead>
          <tbody>
            {billing.line_items.map((line, index) => (
              <tr key={index} className="border-t border-line">
                <td className="py-1">{line.dimension}</td>
                <td className="py-1 text-right">
                  {isMarkup(line) ? exactMoney(line.quantity) : line.quantity.toLocaleString("en-US", allPlaces)}
                </td>
                <td className="py-1 text-right text-dim">
                  {isMarkup(line) ? (
                    `${line.unit_microusd / 100} %`
                  ) : (
                    <>
                      {money(line.unit_microusd)} <span className="text-2xs">{text.per(line.unit)}</span>
                    </>
                  )}
                </td>
                <td className="py-1 text-right">{exactMoney(line.amount_microusd)}</td>
              </tr>
            ))}
            <tr className="border-t border-strong-line font-semibold">
              <td className="py-1" colSpan={3}>
                {text.total}
              </td>
              <td className="py-1 text-right">{exactMoney(billing.amount_microusd)}</td>
            </tr>
          </tbody>
        </table>
      )}
      <p className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-faint">
        <Badge tone={billing.status === "unpriced" ? "warn" : "plain"}>
          {text.billing[billing.status] ?? billing.status}
        </Badge>
        <span>{text.version(billing.pricing_version)}</span>
        {record.provider_cost_microusd !== undefined && (
          <span>
            {text.providerCost}: {exactMoney(record.provider_cost_microusd)}
          </span>
        )}
        {billing.cache_saved_microusd !== undefined && (
          <span>
            {text.saved}: {exactMoney(billing.cache_saved_microusd)}
          </span>
        )}
        {billing.held_microusd > 0 && (
          <span>
            {text.held}: {exactMoney(billing.held_microusd)}
          </span>
        )}
      </p>
      {billing.suspect === true && <p className="mt-1 text-xs text-warn">{text.suspect}</p>}
    </>
  );
}
