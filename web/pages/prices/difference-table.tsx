import type { Schemas } from "../../api/types.ts";
import { exactMoney } from "../../format/money.ts";
import { words } from "../../words/en.ts";

const text = words.prices;

type Differences = Schemas["PriceDiff"]["differences"];

/** Each price that differs between two versions. */
export function DifferenceTable({ differences }: { readonly differences: Differences }) {
  if (differences.length === 0) return <p className="text-sm text-dim">{text.noDifference}</p>;
  const amount = (price: { readonly unit_microusd: number } | null) =>
    price === null ? text.none : exactMoney(price.unit_microusd);
  return (
    <table className="numeric w-full text-sm">
      <tbody>
        {differences.map(({ model, price, before, after }, index) => (
          <tr key={index} className="border-b border-line last:border-b-0">
            <td className="py-1 pr-2 font-medium wrap-anywhere">{model}</td>
            <td className="py-1 pr-2 text-dim">{price}</td>
            <td className="py-1 pr-2 text-right text-dim line-through">{amount(before)}</td>
            <td className="py-1 text-right">{amount(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
