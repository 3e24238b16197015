import type { Price } from "../api/types.ts";
import { exactMoney } from "../format/money.ts";

/** Prices by what they are for, with the conditions under which they apply. */
export function PriceTable({ prices }: { readonly prices: readonly Price[] }) {
  return (
    <table className="numeric w-full text-sm">
      <tbody>
        {prices.map((price, index) => (
          <tr key={index} className="border-b border-line last:border-b-0">
            <td className="py-1 pr-2">{price.dimension}</td>
            <td className="py-1 pr-2 text-xs text-dim">{conditionsOf(price)}</td>
            <td className="py-1 text-right">
              {exactMoney(price.unit_microusd)}{" "}
              <span className="text-xs text-dim">/ {price.unit.replaceAll("_", " ")}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function conditionsOf({ variant, service_tier: tier, above_input_tokens: above, window }: Price): string {
  return [variant, tier, above === undefined ? undefined : `> ${above}`, window].filter(Boolean).join(" · ");
}
