import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { catalogQuery } from "../../api/catalog.ts";
import type { CatalogModel } from "../../api/types.ts";
import { SelectField } from "../../components/field.tsx";
import { words } from "../../words/en.ts";

/** The names that serve an endpoint: models, and their aliases. */
export function useModelsOf(endpoint: string): readonly string[] {
  const { data } = useQuery(catalogQuery);
  const able = data?.filter(({ supported_endpoint_types: types }) => types.includes(endpoint)) ?? [];
  return able.flatMap(({ id, aliases }) => [id, ...aliases]).filter((name) => !name.includes("*"));
}

/** The chosen model of an endpoint, at first the first one. */
export function useModelChoice(endpoint: string) {
  const { data } = useQuery(catalogQuery);
  const models = useModelsOf(endpoint);
  const [chosen, choose] = useState("");
  const model = models.includes(chosen) ? chosen : (models[0] ?? "");
  const entry = data?.find(({ id, aliases }) => id === model || aliases.includes(model));
  return { models, model, choose, parameters: entry?.parameters ?? {} };
}

/** The values that a model lists for a parameter, as texts. Empty if it lists none. */
export function choicesOf(parameters: CatalogModel["parameters"], name: string): readonly string[] {
  const values = parameters[name];
  return Array.isArray(values) ? values.map(String) : [];
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
