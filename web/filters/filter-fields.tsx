import { useQuery } from "@tanstack/react-query";
import type { ComponentProps } from "react";
import { catalogQuery } from "../api/catalog.ts";
import { Check } from "../components/check.tsx";
import { TextField } from "../components/field.tsx";
import { endpointPaths } from "../pages/requests/endpoints.ts";
import { words } from "../words/en.ts";
import type { FilterName, Filters } from "./filters.ts";

const text = words.requests;

interface FilterFieldsProps {
  readonly names: readonly FilterName[];
  readonly draft: Filters;
  readonly onChange: (filters: Filters) => void;
}

type InputHints = Pick<ComponentProps<"input">, "list" | "placeholder" | "pattern" | "inputMode" | "title">;

/** What inputs of single filters have beside their value. */
const inputs: Readonly<Partial<Record<FilterName, InputHints>>> = {
  model: { list: "filter-models" },
  endpoint: { list: "filter-endpoints", placeholder: "/v1/chat/completions" },
  tag: { placeholder: text.tagHint, pattern: "[^=]+=.+", title: text.tagHint },
  min_cost: { placeholder: "0.05", pattern: "\\d{1,9}(\\.\\d{1,6})?", inputMode: "decimal", title: text.costHint },
  min_latency: { placeholder: "1500", pattern: "\\d{1,9}", inputMode: "numeric", title: text.latencyHint },
};

/** An input for each filter. */
export function FilterFields({ names, draft, onChange }: FilterFieldsProps) {
  return names.map((name) => {
    const value = draft[name] ?? "";
    const set = (next: string) => onChange({ ...draft, [name]: next });
    if (name === "status") return <Statuses key={name} value={value} onChange={set} />;
    return (
      <div key={name}>
        <TextField
          label={text.filter[name]}
          value={value}
          onChange={({ target }) => set(target.value)}
          {...inputs[name]}
        />
        {name === "model" && <Models />}
        {name === "endpoint" && <Endpoints />}
      </div>
    );
  });
}

/** Boxes for any of the statuses; none of them means all. */
function Statuses({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  const chosen = value.split(",");
  const names = Object.entries(text.status);
  return (
    <fieldset>
      <legend className="text-xs font-medium text-dim">{text.filter.status}</legend>
      <div className="grid grid-cols-2 gap-x-3 pt-0.5">
        {names.map(([status, label]) => (
          <Check
            key={status}
            checked={chosen.includes(status)}
            onChange={(isChecked) => {
              const next = names.flatMap(([each]) =>
                (each === status ? isChecked : chosen.includes(each)) ? [each] : [],
              );
              onChange(next.join(","));
            }}
          >
            {label}
          </Check>
        ))}
      </div>
    </fieldset>
  );
}

/** What can be chosen as a model. */
/** Paths to choose from. Those that name a model are typed. */
function Endpoints() {
  return (
    <datalist id="filter-endpoints">
      {endpointPaths.map((path) => (
        <option key={path} value={path} />
      ))}
    </datalist>
  );
}

function Models() {
  const catalog = useQuery(catalogQuery);
  return (
    <datalist id="filter-models">
      {catalog.data?.map(({ id }) => (
        <option key={id} value={id} />
      ))}
    </datalist>
  );
}
