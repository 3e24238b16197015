import { answerOf, api } from "../api/client.ts";
import type { Page, Summary, UsageRecord } from "../api/types.ts";
import { isOperator, type User } from "../session/session.ts";
import type { Range } from "../range/range.ts";

/** Which records: parameters of the usage paths by name, `tag:NAME` among them. */
export type UsageFilter = Readonly<Partial<Record<string, string>>>;

/** The usage of all accounts for operators, of its own account for a member. */
export function usagePath(user: User) {
  return isOperator(user) ? "/api/admin/usage" : "/api/usage";
}

function query(filter: UsageFilter, { from, to }: Range) {
  return { ...filter, from: String(from), ...(to !== null && { to: String(to) }) };
}

/** One page of records, newest first. */
export async function listRecords(
  user: User,
  filter: UsageFilter,
  range: Range,
  page: { readonly limit: number; readonly after: string | null },
  signal: AbortSignal,
): Promise<Page<UsageRecord>> {
  const { limit, after } = page;
  const asked = { ...query(filter, range), limit: String(limit), ...(after !== null && { after }) };
  const found = answerOf(api.GET(`${usagePath(user)}/requests`, { params: { query: asked }, signal }));
  return (await found) as unknown as Page<UsageRecord>;
}

/** How records are summed up. */
export interface SummaryOptions {
  /** What rows are told apart by: one for each combination. */
  readonly by: readonly string[];
  readonly timeZone: string;
  /** Percentiles of durations, which are not kept for tags, end users and sessions. */
  readonly withLatency?: boolean;
}

/** Sums of records. */
export async function summarize(
  user: User,
  filter: UsageFilter,
  range: Range,
  { by, timeZone, withLatency = false }: SummaryOptions,
  signal: AbortSignal,
): Promise<Summary> {
  const asked = {
    ...query(filter, range),
    time_zone: timeZone,
    ...(by.length > 0 && { by: by.join(",") }),
    ...(withLatency && { include: "latency" }),
  };
  const found = answerOf(api.GET(`${usagePath(user)}/summary`, { params: { query: asked }, signal }));
  return (await found) as unknown as Summary;
}

/** The record of one request. */
export async function showRecord(user: User, id: string): Promise<UsageRecord> {
  const path = isOperator(user) ? "/api/admin/requests/{id}" : "/api/usage/requests/{id}";
  return (await answerOf(api.GET(path, { params: { path: { id } } }))) as unknown as UsageRecord;
}

/** The address of a file with the records. */
export function exportUrl(user: User, filter: UsageFilter, range: Range, format: "csv" | "jsonl"): string {
  const parameters = new URLSearchParams({ format });
  for (const [name, value] of Object.entries(query(filter, range)))
    if (value !== undefined) parameters.set(name, value);
  return `${usagePath(user)}/export?${parameters.toString()}`;
}
