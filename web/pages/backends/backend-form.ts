import type { SearchBackend } from "../../api/types.ts";

/** What stands in the form, as it was typed. */
export interface BackendForm {
  readonly id: string;
  readonly provider: string;
  readonly name: string;
  readonly apiKey: string;
  readonly price: string;
  readonly baseUrl: string;
  readonly maxResults: string;
  readonly timeoutMs: string;
  readonly allowFallback: boolean;
}

export function formOf(backend: SearchBackend | null): BackendForm {
  return {
    id: backend?.id ?? "",
    provider: backend?.provider ?? "tavily",
    name: backend?.name ?? "",
    apiKey: "",
    price: textOf(backend?.search_price),
    baseUrl: backend?.base_url ?? "",
    maxResults: textOf(backend?.max_results),
    timeoutMs: textOf(backend?.timeout_ms),
    allowFallback: backend?.allow_fallback ?? false,
  };
}

function textOf(value: number | string | null | undefined): string {
  return value === null || value === undefined ? "" : String(value);
}

/** The fields of a new backend or of a change: what was left empty is the default. */
export function changeOf(form: BackendForm, isChange: boolean) {
  const { provider, apiKey, allowFallback } = form;
  return {
    provider,
    ...given("name", form.name, isChange),
    ...given("base_url", form.baseUrl, isChange),
    ...(apiKey.trim() !== "" && { api_key: apiKey.trim() }),
    ...given("search_price", form.price, isChange),
    ...number("max_results", form.maxResults, isChange),
    ...number("timeout_ms", form.timeoutMs, isChange),
    allow_fallback: allowFallback,
  };
}

/** A field that was typed; in a change, null if it was emptied. */
function given<Name extends string>(
  name: Name,
  typed: string,
  isChange: boolean,
): Partial<Record<Name, string | null>> {
  const value = typed.trim();
  if (value === "" && !isChange) return {};
  // The keys of a computed name are not seen by the compiler.
  return { [name]: value === "" ? null : value } as Partial<Record<Name, string | null>>;
}

/** The same of a number. What is none is sent as it is, so that the gateway says what is wrong. */
function number<Name extends string>(
  name: Name,
  typed: string,
  isChange: boolean,
): Partial<Record<Name, number | null>> {
  const value = given(name, typed, isChange)[name];
  if (value === undefined) return {};
  const read = value === null || Number.isNaN(Number(value)) ? value : Number(value);
  return { [name]: read } as Partial<Record<Name, number | null>>;
}
