import type { ApiKey, NewBudget, NewKey } from "../../api/types.ts";
import { readMoney } from "../../format/money.ts";

type Endpoint = NonNullable<NewKey["endpoints"]>[number];

/** Every endpoint, so that the compiler notices a new one. */
const endpointNames: Readonly<Record<Endpoint, true>> = {
  chat: true,
  responses: true,
  messages: true,
  generate_content: true,
  completions: true,
  embeddings: true,
  search: true,
  fetch: true,
  images_generations: true,
  images_edits: true,
  audio_speech: true,
  audio_transcriptions: true,
  audio_translations: true,
  videos: true,
  files: true,
};

export const endpoints = Object.keys(endpointNames) as readonly Endpoint[];

export type Expiry = "keep" | "never" | "7d" | "30d" | "90d" | "365d";

/** What stands in the form, as it was typed. */
export interface KeyForm {
  readonly name: string;
  readonly account: string;
  readonly models: readonly string[];
  readonly endpoints: readonly Endpoint[];
  readonly domains: readonly string[];
  readonly ipRanges: readonly string[];
  readonly requestsPerMinute: string;
  readonly tokensPerMinute: string;
  readonly concurrent: string;
  readonly expiry: Expiry;
  readonly budget: string;
  readonly period: NewBudget["per"];
  readonly admin: boolean;
}

export const emptyForm: KeyForm = {
  name: "",
  account: "default",
  models: [],
  endpoints: [],
  domains: [],
  ipRanges: [],
  requestsPerMinute: "",
  tokensPerMinute: "",
  concurrent: "",
  expiry: "never",
  budget: "",
  period: "month",
  admin: false,
};

const textOf = (limit: number | null) => (limit === null ? "" : String(limit));

export function formOf(key: ApiKey): KeyForm {
  return {
    ...emptyForm,
    name: key.name,
    account: key.account,
    models: key.models ?? [],
    endpoints: endpoints.filter((endpoint) => key.endpoints?.includes(endpoint) === true),
    domains: key.domains ?? [],
    ipRanges: key.ip_ranges ?? [],
    requestsPerMinute: textOf(key.limits.requests_per_minute),
    tokensPerMinute: textOf(key.limits.tokens_per_minute),
    concurrent: textOf(key.limits.concurrent_requests),
    expiry: "keep",
    admin: key.admin,
  };
}

/** A limit that was typed: null for none, undefined if it is no number. */
export function readLimit(text: string): number | null | undefined {
  const typed = text.trim().replaceAll(/[\s_,]/g, "");
  if (typed === "") return null;
  return /^[1-9]\d{0,14}$/.test(typed) ? Number(typed) : undefined;
}

export function isComplete(form: KeyForm): boolean {
  const limits = [form.requestsPerMinute, form.tokensPerMinute, form.concurrent].map(readLimit);
  const hasBudget = form.budget.trim() === "" || readMoney(form.budget) !== null;
  return form.name.trim() !== "" && hasBudget && !limits.includes(undefined);
}

const orAll = <Item>(items: readonly Item[]) => (items.length === 0 ? null : [...items]);

/** What both a new key and a change of one are asked with. @param now milliseconds since 1970 */
export function settingsOf(form: KeyForm, now: number) {
  const { expiry } = form;
  const days = expiry === "never" || expiry === "keep" ? null : Number.parseInt(expiry, 10);
  return {
    name: form.name.trim(),
    models: orAll(form.models),
    endpoints: orAll(form.endpoints),
    domains: orAll(form.domains),
    ip_ranges: orAll(form.ipRanges),
    limits: {
      requests_per_minute: readLimit(form.requestsPerMinute) ?? null,
      tokens_per_minute: readLimit(form.tokensPerMinute) ?? null,
      concurrent_requests: readLimit(form.concurrent) ?? null,
    },
    admin: form.admin,
    ...(expiry !== "keep" && { expires_at: days === null ? null : Math.floor(now / 1000) + days * 86_400 }),
  };
}
