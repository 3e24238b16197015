import type { ReactNode } from "react";
import type { UsageRecord } from "../../api/types.ts";
import { At, Money, None } from "../../components/values.tsx";
import { count, milliseconds } from "../../format/number.ts";
import type { words } from "../../words/en.ts";
import { StatusBadge } from "./status-badge.tsx";

/** A column of the list. */
export interface Column {
  readonly id: keyof typeof words.requests.column;
  /** Of a grid: a part of the free width, or a fixed one. */
  readonly width: string;
  readonly right?: true;
  readonly cell: (record: UsageRecord) => ReactNode;
}

const number = (value: number) => (value === 0 ? <None /> : count(value));
const time = (value: number | null) => (value === null ? <None /> : milliseconds(value));
const text = (value: string | null | undefined) => (value === null || value === undefined ? <None /> : value);

/** All columns, in their order. */
export const columns: readonly Column[] = [
  { id: "time", width: "8.5rem", cell: ({ created_at: at }) => <At at={at} /> },
  { id: "status", width: "6rem", cell: ({ status }) => <StatusBadge status={status} /> },
  { id: "model", width: "minmax(9rem,2fr)", cell: ({ model }) => <span className="font-medium">{model}</span> },
  { id: "endpoint", width: "minmax(8rem,1.4fr)", cell: ({ endpoint }) => endpoint.replace("/v1/", "") },
  { id: "provider", width: "minmax(6rem,1fr)", cell: ({ routing }) => text(routing.chose_provider) },
  { id: "key", width: "6.5rem", cell: ({ key_id: id }) => text(id) },
  { id: "account", width: "minmax(6rem,1fr)", cell: ({ billing }) => billing.account },
  { id: "input", width: "5rem", right: true, cell: ({ usage }) => number(usage.prompt_tokens) },
  { id: "output", width: "5rem", right: true, cell: ({ usage }) => number(usage.completion_tokens) },
  { id: "cost", width: "6rem", right: true, cell: ({ billing }) => <Money amount={billing.amount_microusd} /> },
  { id: "latency", width: "5.5rem", right: true, cell: ({ routing }) => time(routing.latency_ms) },
  { id: "firstByte", width: "5.5rem", right: true, cell: ({ routing }) => time(routing.time_to_first_byte_ms) },
  { id: "attempts", width: "5rem", right: true, cell: ({ routing }) => number(routing.attempts) },
  { id: "user", width: "minmax(6rem,1fr)", cell: ({ attribution }) => text(attribution.end_user) },
  { id: "session", width: "minmax(6rem,1fr)", cell: ({ attribution }) => text(attribution.session) },
  { id: "tags", width: "minmax(6rem,1fr)", cell: ({ attribution }) => text(tagsOf(attribution.tags)) },
  { id: "code", width: "3.5rem", right: true, cell: ({ routing }) => routing.status_code },
  { id: "id", width: "16rem", cell: ({ id }) => <span className="font-mono text-xs">{id}</span> },
];

/** The columns of the grid that each row is. @param widths pixels of those that have another width than their own */
export function templateOf(shown: readonly Column[], widths: Partial<Record<ColumnId, number>>): string {
  return shown.map(({ id, width }) => (widths[id] === undefined ? width : `${widths[id]}px`)).join(" ");
}

export type ColumnId = Column["id"];

export const usualColumns: readonly ColumnId[] = [
  "time",
  "status",
  "model",
  "endpoint",
  "provider",
  "input",
  "output",
  "cost",
  "latency",
];

/** Tags in a line; null if there are none. */
export function tagsOf(tags: UsageRecord["attribution"]["tags"]): string | null {
  const pairs = Object.entries(tags).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? null : pairs.join(", ");
}
