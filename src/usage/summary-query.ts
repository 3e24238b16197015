import { invalidParameter, unsupportedParameter } from "../errors.ts";
import { checkTimeZone, type TimeUnit, timeUnits } from "./calendar.ts";
import { asFacetName, type FacetName } from "./facets.ts";
import { type Parameters, readFilter, type RecordOwner } from "./read-filter.ts";
import type { RecordFilter } from "./usage-store.ts";

const columns = ["key", "account", "model", "endpoint", "status", "provider"] as const;
export type Column = (typeof columns)[number];

/** What the rows of a summary are told apart by. */
export type SummaryKey = TimeUnit | Column | FacetName;

/** What a summary is asked for. */
export interface SummaryQuery {
  readonly filter: RecordFilter;
  readonly by: readonly SummaryKey[];
  readonly timeZone: string;
  /** Whether the sums have percentiles of durations; never with facets. */
  readonly withDurations: boolean;
}

export const summaryParameters = ["by", "time_zone", "include"] as const;

const allowed = `a list of ${[...timeUnits, ...columns].join(", ")}, tag:NAME, end_user and session`;

/**
 * Reads what a summary is asked for. @param hidesProvider providers are not told apart
 * @throws 400 naming the parameter
 */
export function readSummaryQuery(parameters: Parameters, owner: RecordOwner, hidesProvider: boolean): SummaryQuery {
  const timeZone = checkTimeZone(parameters.get("time_zone") ?? "UTC");
  const by = readBy(parameters.get("by"));
  if (hidesProvider && by.includes("provider")) {
    throw unsupportedParameter("by", "Usage is not told by 'provider': this gateway does not show its providers.");
  }
  const filter = readFilter(parameters, owner, { timeZone, hidesProvider });
  const withDurations = readInclude(parameters.get("include"));
  if (withDurations && (filter.facets.length > 0 || by.some((key) => !isTimeUnit(key) && !isColumn(key)))) {
    throw unsupportedParameter("include", "No 'latency' is kept for tags, end users and sessions.");
  }
  return { filter, by, timeZone, withDurations };
}

/** Whether the latency is asked for. */
function readInclude(text: string | null): boolean {
  if (text !== null && text !== "latency") throw invalidParameter("include", "latency");
  return text !== null;
}

function readBy(text: string | null): SummaryKey[] {
  if (text === null) return [];
  const keys = text.split(",").map((name) => asSummaryKey(name.trim()));
  if (new Set(keys).size < keys.length) throw invalidParameter("by", `${allowed}, each once`);
  return keys;
}

function asSummaryKey(name: string): SummaryKey {
  const key = isTimeUnit(name) ? name : (columns.find((column) => column === name) ?? asFacetName(name));
  if (key === null) throw invalidParameter("by", allowed);
  return key;
}

const timeUnitNames: ReadonlySet<string> = new Set(timeUnits);
const columnNames: ReadonlySet<string> = new Set(columns);

export function isTimeUnit(key: string): key is TimeUnit {
  return timeUnitNames.has(key);
}

export function isColumn(key: string): key is Column {
  return columnNames.has(key);
}
