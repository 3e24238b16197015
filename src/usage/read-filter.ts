import { invalidParameter, invalidRequest, unsupportedParameter } from "../errors.ts";
import type { RecordStatus } from "../records/record.ts";
import { asFacetName, type Facet } from "./facets.ts";
import { readTime } from "./read-time.ts";
import type { RecordFilter } from "./usage-store.ts";

/** The parameters of a query, by name. */
export type Parameters = Pick<URLSearchParams, "get" | "getAll" | "keys">;

const statuses: readonly RecordStatus[] = ["succeeded", "failed", "cancelled", "refused", "pending"];
const maxLength = 20_000;

/** Parameters that say which records; operators may also select by key. */
export const filterParameters = ["model", "endpoint", "status", "provider", "from", "to"] as const;
/** Those of lists and exports beside these: sums know only the greatest. */
export const minimumParameters = ["min_amount_microusd", "min_latency_ms"] as const;
export const operatorParameters = ["key", "account"] as const;

/** Whose records a query selects. Null stands for all. */
export type RecordOwner = Pick<RecordFilter, "keyId" | "accountId">;

/** Reads whose records an operator selects. @throws 400 naming the parameter */
export function readOwner(parameters: Parameters): RecordOwner {
  const keyId = readText(parameters, "key");
  // A whole key, which other paths take here, would select nothing, as if there were no records.
  if (keyId !== null && !/^[0-9A-Za-z]{10}$/.test(keyId)) throw invalidParameter("key", "the ID of an API key");
  return { keyId, accountId: readText(parameters, "account") };
}

interface FilterOptions {
  /** In which dates are read. */
  readonly timeZone?: string;
  /** Records cannot be selected by their providers. */
  readonly hidesProvider: boolean;
}

/** Reads which records a query selects. @throws 400 naming the parameter */
export function readFilter(
  parameters: Parameters,
  owner: RecordOwner,
  { timeZone = "UTC", hidesProvider }: FilterOptions,
): RecordFilter {
  const provider = readText(parameters, "provider");
  if (hidesProvider && provider !== null) {
    throw unsupportedParameter(
      "provider",
      "Records are not selected by 'provider': this gateway does not show its providers.",
    );
  }
  const status = parameters.get("status");
  const from = parameters.get("from");
  const to = parameters.get("to");
  const filter: RecordFilter = {
    ...owner,
    model: readText(parameters, "model"),
    endpoint: readText(parameters, "endpoint"),
    statuses: status === null ? null : readStatuses(status),
    provider,
    minAmountMicrousd: readMinimum(parameters, "min_amount_microusd"),
    minLatencyMs: readMinimum(parameters, "min_latency_ms"),
    from: from === null ? null : readTime("from", from, timeZone),
    to: to === null ? null : readTime("to", to, timeZone),
    facets: readFacets(parameters),
  };
  if (filter.from !== null && filter.to !== null && filter.to <= filter.from) {
    throw invalidParameter("to", "a time after 'from'");
  }
  return filter;
}

/** The facets that a query selects: `tag:NAME=VALUE`, `end_user` and `session`. */
function readFacets(parameters: Parameters): Facet[] {
  const facets: Facet[] = [];
  for (const parameter of new Set(parameters.keys())) {
    const name = asFacetName(parameter);
    const value = name === null ? null : readText(parameters, name);
    if (name !== null && value !== null) facets.push({ name, value });
  }
  return facets;
}

/** One or several, each once. */
function readStatuses(text: string): RecordStatus[] {
  const names = text.split(",").map((name) => name.trim());
  const found = statuses.filter((known) => names.includes(known));
  if (found.length < names.length) throw invalidParameter("status", `a list of ${statuses.join(", ")}, each once`);
  return found;
}

/** A whole number; what all records reach counts as absent. */
function readMinimum(parameters: Parameters, name: (typeof minimumParameters)[number]): number | null {
  const text = parameters.get(name);
  if (text === null) return null;
  if (!/^\d{1,15}$/.test(text)) throw invalidParameter(name, "a whole number of up to 15 digits");
  return Number(text) || null;
}

/** The value of a parameter, null if it is absent. */
function readText(parameters: Parameters, name: string): string | null {
  const value = parameters.get(name);
  if (value === null) return null;
  if (value === "" || value.length > maxLength || value.includes("\0")) throw invalidParameter(name, "text");
  return value;
}

/** @throws 400 naming a parameter that is not known, or comes twice */
export function checkParameters(parameters: Parameters, known: readonly string[]): void {
  for (const name of new Set(parameters.keys())) {
    if (!known.includes(name) && asFacetName(name) === null) {
      const message = `Unknown parameter: '${name.slice(0, 64)}'. Known parameters: ${known.join(", ")}, end_user, session, tag:NAME.`;
      throw invalidRequest("invalid_parameter", message, name.slice(0, 64));
    }
    if (parameters.getAll(name).length > 1) throw invalidParameter(name, "one value");
  }
}

const maxLimit = 1_000;
const usualLimit = 50;

/** @throws 400 naming `limit` */
export function readLimit(parameters: Parameters): number {
  const text = parameters.get("limit");
  if (text === null) return usualLimit;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > maxLimit) throw invalidParameter("limit", `a whole number from 1 to ${maxLimit}`);
  return limit;
}
