import type { CatalogModel, TargetHealth } from "../../api/types.ts";
import { Badge } from "../../components/badge.tsx";
import { Cell, Row, Table } from "../../components/table.tsx";
import { None } from "../../components/values.tsx";
import { money } from "../../format/money.ts";
import { compact } from "../../format/number.ts";
import { words } from "../../words/en.ts";

const text = words.models;

interface ModelTableProps {
  readonly models: readonly CatalogModel[];
  readonly health: readonly TargetHealth[];
  readonly onOpen: (model: CatalogModel) => void;
}

/** The models that callers can ask for. */
export function ModelTable({ models, health, onOpen }: ModelTableProps) {
  return (
    <Table label={text.catalog} columns={text.catalogColumns}>
      {models.map((model) => (
        <Row key={model.id} onClick={() => onOpen(model)}>
          <Cell>
            <button
              type="button"
              className="max-w-full truncate font-medium hover:underline"
              onClick={() => onOpen(model)}
            >
              {model.id}
            </button>
          </Cell>
          <Cell className="text-dim">{model.supported_endpoint_types.join(", ")}</Cell>
          <Cell className="numeric text-dim">{priceOf(model, "input")}</Cell>
          <Cell className="numeric text-dim">{priceOf(model, "output")}</Cell>
          <Cell right>{model.context_length === null ? <None /> : compact(model.context_length)}</Cell>
          <Cell>
            <ModelHealth targets={health.filter((target) => target.model === model.id)} />
          </Cell>
        </Row>
      ))}
    </Table>
  );
}

/** The base price of tokens; what has other units is in the sheet of the model. */
function priceOf({ pricing }: CatalogModel, dimension: string) {
  const price = pricing.find((each) => each.dimension === dimension && each.unit === "1M_tokens");
  return price ? `${money(price.unit_microusd)} ${text.per}` : <None />;
}

function ModelHealth({ targets }: { readonly targets: readonly TargetHealth[] }) {
  if (targets.length === 0) return <None />;
  const bad = targets.filter(({ state, error_rate: rate }) => state !== "closed" || rate >= 0.2).length;
  return bad === 0 ? (
    <Badge tone="good">{text.allWell}</Badge>
  ) : (
    <Badge tone="bad">{text.someBad(bad, targets.length)}</Badge>
  );
}
