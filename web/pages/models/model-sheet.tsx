import type { CatalogModel, ModelDefinition } from "../../api/types.ts";
import { Sheet } from "../../components/dialog.tsx";
import { Facts } from "../../components/facts.tsx";
import { PriceTable } from "../../components/price-table.tsx";
import { None } from "../../components/values.tsx";
import { count } from "../../format/number.ts";
import { words } from "../../words/en.ts";
import { Definition } from "./model-definition.tsx";
import { RecordWhy } from "../requests/record-why.tsx";
import { explainableOf, sampleFor } from "../requests/endpoints.ts";

const text = words.models;

interface ModelSheetProps {
  readonly model: CatalogModel | null;
  readonly onClose: () => void;
  readonly onEdit: (model: ModelDefinition) => void;
  readonly onRemove: (id: string) => void;
}

/** A model beside the list: what it can do, what it costs, and where a request for it would go. */
export function ModelSheet({ model, onClose, ...actions }: ModelSheetProps) {
  return (
    <Sheet open={model !== null} onClose={onClose} title={model?.name ?? model?.id ?? ""}>
      {model && <ModelView key={model.id} model={model} {...actions} />}
    </Sheet>
  );
}

interface ModelViewProps extends Pick<ModelSheetProps, "onEdit" | "onRemove"> {
  readonly model: CatalogModel;
}

function ModelView({ model, onEdit, onRemove }: ModelViewProps) {
  const able = Object.entries(model.parameters).flatMap(([name, isAble]) => (isAble === true ? [name] : []));
  const [endpoint = "chat"] = model.supported_endpoint_types;
  const sample = sampleFor(endpoint, model.id);
  const explained = sample && explainableOf(sample, model.id);
  return (
    <div className="flex flex-col gap-6 p-4">
      {model.description !== null && <p className="text-sm text-dim">{model.description}</p>}
      <Facts
        facts={[
          [text.owner, model.owned_by ?? <None />],
          [text.aliases, model.aliases.join(", ") || <None />],
          [text.capabilities, able.join(", ") || <None />],
          [text.modalities, `${model.input_modalities.join(", ")} → ${model.output_modalities.join(", ")}`],
          [text.maxOutput, model.max_output_tokens === null ? <None /> : count(model.max_output_tokens)],
        ]}
      />
      <Definition id={model.id} onEdit={onEdit} onRemove={onRemove} />
      <section>
        <h3 className="mb-2 text-xs font-semibold text-dim">{text.prices}</h3>
        {model.pricing.length === 0 ? (
          <p className="text-sm text-dim">{text.noPrice}</p>
        ) : (
          <PriceTable prices={model.pricing} />
        )}
      </section>
      {explained && (
        <section>
          <h3 className="mb-2 text-xs font-semibold text-dim">{words.record.sections.why}</h3>
          <RecordWhy endpoint={endpoint} body={explained} />
        </section>
      )}
    </div>
  );
}
