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

/** The fields of a new provider, or those that were changed: what was emptied is the default. */
export function fieldsOf(form: ProviderForm, before: Provider | null): Schemas["ProviderChange"] {
  const initial = formOf(before);
  const isChanged = (name: keyof ProviderForm) => form[name] !== initial[name];
  const timeouts = {
    ...(isChanged("firstByteMs") && { first_byte_ms: form.firstByteMs }),
    ...(isChanged("totalMs") && { total_ms: form.totalMs }),
  };
  const key = form.apiKey.trim();
  return {
    ...((before === null || isChanged("dialects")) &&
      dialectFields(form.dialects as readonly Dialect[], before !== null)),
    ...(isChanged("baseUrl") && { base_url: form.baseUrl.trim() === "" ? null : form.baseUrl.trim() }),
    ...(key !== "" ? { api_key: key } : form.dropsKey && { api_key: null }),
    ...(isChanged("maxInFlight") && { max_in_flight: numberOf(form.maxInFlight) }),
    ...(Object.keys(timeouts).length > 0 && { timeouts: mergedTimeouts(before, timeouts) }),
  };
}

/** The limits that are not in the form stay; one that was emptied has its default. */
function mergedTimeouts(before: Provider | null, typed: Readonly<Record<string, string>>) {
  const read = Object.entries(typed).map(([name, text]) => [name, numberOf(text)] as const);
  const merged = Object.entries({ ...before?.timeouts, ...Object.fromEntries(read) });
  return Object.fromEntries(merged.filter(([, value]) => value !== null)) as Record<string, number>;
}

/** Null for nothing. What is no number is sent as it is, so that the gateway says what is wrong. */
function numberOf(typed: string): number | null {
  if (typed.trim() === "") return null;
  return (Number.isNaN(Number(typed)) ? typed : Number(typed)) as number;
}

/** A provider has either one dialect or several. */
function dialectFields(chosen: readonly Dialect[], isChange: boolean) {
  const [only] = chosen;
  const single = chosen.length === 1 && only !== undefined;
  const fields = single ? { dialect: only } : { dialects: [...chosen] };
  return isChange ? { ...(single ? { dialects: null } : { dialect: null }), ...fields } : fields;
}
