import type { Provider, Schemas } from "../../api/types.ts";

type Dialect = NonNullable<Schemas["NewProvider"]["dialect"]>;

/** The dialects that the gateway speaks to providers. A test compares them with its own list. */
export const dialects = [
  "openai-chat",
  "openai-responses",
  "anthropic-messages",
  "gemini",
  "elevenlabs",
  "deepgram",
  "fal",
  "replicate",
] as const satisfies readonly Dialect[];

/** What stands in the form, as it was typed. */
export interface ProviderForm {
  readonly id: string;
  readonly dialects: readonly string[];
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Removes the key that is there. */
  readonly dropsKey: boolean;
  readonly maxInFlight: string;
  readonly firstByteMs: string;
  readonly totalMs: string;
}

export function formOf(provider: Provider | null): ProviderForm {
  const textOf = (value: number | null | undefined) => (value === null || value === undefined ? "" : String(value));
  return {
    id: provider?.id ?? "",
    dialects: provider?.dialects ?? ["openai-chat"],
    baseUrl: provider?.base_url ?? "",
    apiKey: "",
    dropsKey: false,
    maxInFlight: textOf(provider?.max_in_flight),
    firstByteMs: textOf(provider?.timeouts?.["first_byte_ms"]),
    totalMs: textOf(provider?.timeouts?.["total_ms"]),
  };
}

/** The fields of a new provider or of a change: what was left empty is the default. What is no number is refused by the gateway. */
export function fieldsOf(form: ProviderForm, before: Provider | null): Schemas["ProviderChange"] {
  const numberOf = (typed: string) => (Number.isNaN(Number(typed)) ? typed : Number(typed)) as number;
  const timeouts = {
    ...before?.timeouts,
    ...(form.firstByteMs.trim() !== "" && { first_byte_ms: numberOf(form.firstByteMs) }),
    ...(form.totalMs.trim() !== "" && { total_ms: numberOf(form.totalMs) }),
  };
  const baseUrl = form.baseUrl.trim();
  const key = form.apiKey.trim();
  return {
    ...dialectFields(form.dialects as readonly Dialect[], before !== null),
    ...((baseUrl !== "" || before !== null) && { base_url: baseUrl === "" ? null : baseUrl }),
    ...(key !== "" ? { api_key: key } : form.dropsKey && { api_key: null }),
    ...(form.maxInFlight.trim() !== "" || before !== null
      ? { max_in_flight: form.maxInFlight.trim() === "" ? null : numberOf(form.maxInFlight) }
      : {}),
    ...(Object.keys(timeouts).length > 0 && { timeouts }),
  };
}

/** A provider has either one dialect or several. */
function dialectFields(chosen: readonly Dialect[], isChange: boolean) {
  const [only] = chosen;
  const single = chosen.length === 1 && only !== undefined;
  const fields = single ? { dialect: only } : { dialects: [...chosen] };
  return isChange ? { ...(single ? { dialects: null } : { dialect: null }), ...fields } : fields;
}
