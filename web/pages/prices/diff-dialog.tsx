import { useQuery } from "@tanstack/react-query";
import { answerOf, api } from "../../api/client.ts";
import { Dialog } from "../../components/dialog.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { exactMoney } from "../../format/money.ts";
import { words } from "../../words/en.ts";

const text = words.prices;

interface DiffDialogProps {
  readonly from: number;
  readonly to: number;
  readonly onClose: () => void;
}

/** Each price that differs between two versions. */
export function DiffDialog({ from, to, onClose }: DiffDialogProps) {
  const query = useQuery({
    queryKey: ["price-diff", from, to],
    queryFn: () => answerOf(api.GET("/api/admin/prices/diff", { params: { query: { from, to } } })),
  });
  const amount = (price: { readonly unit_microusd: number } | null) =>
    price === null ? text.none : exactMoney(price.unit_microusd);
  return (
    <Dialog open onClose={onClose} title={text.diffTitle(from, to)} wide>
      <Loaded query={query}>
        {({ differences }) =>
          differences.length === 0 ? (
            <p className="text-sm text-dim">{text.noDifference}</p>
          ) : (
            <table className="numeric w-full text-sm">
              <tbody>
                {differences.map(({ model, price, before, after }, index) => (
                  <tr key={index} className="border-b border-line last:border-b-0">
                    <td className="py-1 pr-2 font-medium">{model}</td>
                    <td className="py-1 pr-2 text-dim">{price}</td>
                    <td className="py-1 pr-2 text-right text-dim line-through">{amount(before)}</td>
                    <td className="py-1 text-right">{amount(after)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </Dialog>
  );
}
