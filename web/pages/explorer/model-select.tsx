import { useQuery } from "@tanstack/react-query";
import { catalogQuery } from "../../api/catalog.ts";
import { SelectField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";

/** The names that serve an endpoint: models, and their aliases. */
export function useModelsOf(endpoint: string): readonly string[] {
  const { data } = useQuery(catalogQuery);
  const able = data?.filter(({ supported_endpoint_types: types }) => types.includes(endpoint)) ?? [];
  return able.flatMap(({ id, aliases }) => [id, ...aliases]).filter((name) => !name.includes("*"));
}

interface ModelSelectProps {
  readonly models: readonly string[];
  readonly value: string;
  readonly onChange: (model: string) => void;
}

export function ModelSelect({ models, value, onChange }: ModelSelectProps) {
  return (
    <SelectField
      label={words.explorer.model}
      hint={models.length === 0 ? words.explorer.noModels : undefined}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      {models.map((model) => (
        <option key={model}>{model}</option>
      ))}
    </SelectField>
  );
}
