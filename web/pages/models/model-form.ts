import type { ModelDefinition, Schemas } from "../../api/types.ts";

export type Strategy = NonNullable<Schemas["NewModel"]["strategy"]>;
type Endpoints = NonNullable<Schemas["NewModel"]["endpoints"]>;

/** One target as it was typed. */
export interface TargetForm {
  readonly provider: string;
  readonly model: string;
  readonly weight: string;
}

/** What stands in the form, as it was typed. */
export interface ModelForm {
  readonly id: string;
  readonly targets: readonly TargetForm[];
  readonly strategy: Strategy | "";
  readonly endpoints: readonly string[];
  readonly capabilities: readonly string[];
  readonly contextLength: string;
  readonly maxOutputTokens: string;
  readonly inputPrice: string;
  readonly outputPrice: string;
}

/** What models are asked for by name. */
export const capabilities = ["tools", "vision", "json_schema", "reasoning", "audio_input"] as const;

export const strategies = [
  "priority",
  "weighted",
  "round_robin",
  "lowest_latency",
  "lowest_cost",
  "least_busy",
] as const satisfies readonly Strategy[];

export function formOf(model: ModelDefinition | null, provider: string): ModelForm {
  const textOf = (value: unknown) => (typeof value === "number" || typeof value === "string" ? String(value) : "");
  const declared = model?.parameters ?? {};
  return {
    id: model?.id ?? "",
    targets: model?.targets?.map((target) => ({ ...target, weight: textOf(target.weight ?? 1) })) ?? [
      { provider, model: "", weight: "1" },
    ],
    strategy: model?.strategy ?? "",
    endpoints: model?.endpoints ?? [],
    capabilities: capabilities.filter((name) => declared[name] === true),
    contextLength: textOf(model?.context_length),
    maxOutputTokens: textOf(model?.max_output_tokens),
    inputPrice: textOf(model?.prices?.["input"]),
    outputPrice: textOf(model?.prices?.["output"]),
  };
}

/** The fields of a new model or of a change. What was not in the form stays as it is. */
export function fieldsOf(
  form: ModelForm,
  before: ModelDefinition | null,
): Schemas["ModelChange"] & {
  readonly targets: Schemas["NewModel"]["targets"];
} {
  const isChange = before !== null;
  const optional = (typed: string) => (typed.trim() === "" ? null : numberOf(typed));
  const prices = pricesOf(form, before);
  return {
    targets: form.targets.map(({ provider, model, weight }, place) => {
      const old = before?.targets?.[place];
      const kept = old?.provider === provider && old.model === model ? old : {};
      return { ...kept, provider, model: model.trim(), weight: numberOf(weight) };
    }),
    ...((form.strategy !== "" || isChange) && { strategy: form.strategy || null }),
    ...((form.endpoints.length > 0 || isChange) && {
      // A name that the gateway does not know is refused by it.
      endpoints: form.endpoints.length > 0 ? ([...form.endpoints] as Endpoints) : null,
    }),
    parameters: {
      ...withoutCapabilities(before),
      ...Object.fromEntries(form.capabilities.map((name) => [name, true])),
    },
    ...((form.contextLength.trim() !== "" || isChange) && { context_length: optional(form.contextLength) }),
    ...((form.maxOutputTokens.trim() !== "" || isChange) && { max_output_tokens: optional(form.maxOutputTokens) }),
    ...(prices !== undefined && { prices }),
  };
}

function withoutCapabilities(before: ModelDefinition | null): Record<string, unknown> {
  const names: readonly string[] = capabilities;
  return Object.fromEntries(Object.entries(before?.parameters ?? {}).filter(([name]) => !names.includes(name)));
}

/** Prices as they are typed, in USD for a million tokens; other prices of the model stay. */
function pricesOf(form: ModelForm, before: ModelDefinition | null): Record<string, unknown> | null | undefined {
  const { input: _input, output: _output, ...others } = before?.prices ?? {};
  const typed = {
    ...(form.inputPrice.trim() !== "" && { input: form.inputPrice.trim() }),
    ...(form.outputPrice.trim() !== "" && { output: form.outputPrice.trim() }),
  };
  const prices = { ...others, ...typed };
  if (Object.keys(prices).length > 0) return prices;
  return before?.prices ? null : undefined;
}

/** What is no number is sent as it is, so that the gateway says what is wrong. */
function numberOf(typed: string): number {
  return (Number.isNaN(Number(typed)) || typed.trim() === "" ? typed : Number(typed)) as number;
}
