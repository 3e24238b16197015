import { expect } from "bun:test";
import * as fc from "fast-check";
import { type Attribution } from "../../attribution/attribution.ts";
import { newRequestId } from "../../identifiers.ts";
import { exampleRecord } from "../../records/example-record.testkit.ts";
import type { RecordStatus, UsageRecord } from "../../records/record.ts";
import { facetsOf } from "../../usage/facets.ts";
import { type Percentiles } from "../../usage/histogram.ts";
import type { SummaryKey } from "../../usage/summary-query.ts";
import { addQuantities, noQuantities } from "../../usage/rollup.ts";
import { type RollupSums } from "../../usage/usage-store.ts";

export const start = Date.parse("2026-11-20T00:00:00Z");
export const facts = fc.record({
  minute: fc.nat({ max: 3 * 24 * 60 }),
  model: fc.constantFrom("a", "b", "c".repeat(500), "é"),
  endpoint: fc.constantFrom("/v1/chat/completions", `/v1beta/models/${"x".repeat(400)}:generateContent`),
  status: fc.constantFrom<RecordStatus>("succeeded", "succeeded", "failed", "cancelled", "refused", "pending"),
  accountId: fc.constantFrom("default", "team-a"),
  attribution: fc.constantFrom<Attribution[]>(
    { tags: null, endUser: null, session: null },
    { tags: '{"env":"prod","team":"a"}', endUser: null, session: "s1" },
    { tags: `{"team":"it's \\"b\\""}`, endUser: "ü".repeat(256), session: null },
  ),
  provider: fc.constantFrom("one", "two", null),
  amount: fc.nat({ max: 5_000_000 }),
  input: fc.nat({ max: 1_000_000 }),
  seconds: fc.option(fc.double({ min: 0, max: 1_000, noNaN: true })),
  saved: fc.constantFrom(0, 0, 17, -3),
  latency: fc.nat({ max: 30_000 }),
  firstByte: fc.option(fc.nat({ max: 5_000 })),
  /** How a pending one ends; null if it does not. */
  end: fc.option(fc.constantFrom<RecordStatus>("succeeded", "failed")),
});

type Facts = typeof facts extends fc.Arbitrary<infer Value> ? Value : never;

export function recordOf(keyId: string, { minute, provider, amount, input, seconds, ...others }: Facts): UsageRecord {
  const createdAt = start + minute * 60_000;
  const { end: _end, saved, latency, firstByte, ...named } = others;
  const example = exampleRecord();
  const spoken = seconds === null ? [] : [{ name: "second" as const, quantity: seconds, unit: "second" as const }];
  return {
    ...example,
    ...named,
    id: newRequestId(createdAt),
    keyId,
    createdAt,
    usage: { ...example.usage, dimensions: [{ name: "input", quantity: input, unit: "token" }, ...spoken] },
    billing: { ...example.billing, amountMicrousd: amount, ...(saved !== 0 && { cacheSavedMicrousd: saved }) },
    routing: { ...example.routing, provider, latencyMs: latency, timeToFirstByteMs: firstByte },
  };
}

export const faceted = [
  ["tag:team", "a", ({ attribution }: UsageRecord) => attribution.tags?.includes('"team":"a"') === true],
  ["tag:team", `it's "b"`, ({ attribution }: UsageRecord) => attribution.endUser !== null],
  ["end_user", "ü".repeat(256), ({ attribution }: UsageRecord) => attribution.endUser !== null],
  ["session", "s1", ({ attribution }: UsageRecord) => attribution.session === "s1"],
  ["session", "s2", () => false],
] as const;

export const summaryKeys: readonly SummaryKey[] = [
  ...(["hour", "day", "week", "month", "key", "account", "model", "endpoint", "status", "provider"] as const),
  ...(["tag:team", "tag:none", "end_user", "session"] as const),
];

export const facetKeys = new Set<SummaryKey>(["tag:team", "tag:none", "end_user", "session"]);

export function facetIn({ attribution }: UsageRecord, name: SummaryKey): string | null {
  return facetsOf(attribution).find((facet) => facet.name === name)?.value ?? null;
}

/** The name of a record in a summary, worked out in another way than the product does. */
export function nameIn(record: UsageRecord, key: SummaryKey, timeZone: string): string | null {
  const { createdAt } = record;
  const format = new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });
  const [date = "", time = ""] = format.format(createdAt).split(" ");
  switch (key) {
    case "hour": {
      const minutes = Math.round((Date.parse(`${date}T${time}Z`) - Math.floor(createdAt / 1000) * 1000) / 60_000);
      const digits = (value: number) => String(Math.trunc(value)).padStart(2, "0");
      const offset = `${minutes < 0 ? "-" : "+"}${digits(Math.abs(minutes) / 60)}:${digits(Math.abs(minutes) % 60)}`;
      return `${date}T${time.slice(0, 2)}:00:00${timeZone === "UTC" ? "Z" : offset}`;
    }
    case "day":
      return date;
    case "week": {
      const day = new Date(`${date}T00:00:00Z`);
      day.setUTCDate(day.getUTCDate() - ((day.getUTCDay() + 6) % 7));
      return day.toISOString().slice(0, 10);
    }
    case "month":
      return date.slice(0, 7);
    case "provider":
      return record.routing.provider;
    case "key":
      return record.keyId;
    case "account":
      return record.accountId;
    case "model":
    case "endpoint":
    case "status":
      return record[key];
    default:
      return facetIn(record, key);
  }
}

interface Total {
  requests: number;
  errors: number;
  amountMicrousd: number;
  cacheSavedMicrousd: number;
  quantities: number[];
}

const none = (): Total => ({
  requests: 0,
  errors: 0,
  amountMicrousd: 0,
  cacheSavedMicrousd: 0,
  quantities: noQuantities(),
});

export function totalOf(records: readonly UsageRecord[]): Total {
  const total = none();
  for (const { status, billing, usage } of records) {
    if (status === "pending") continue;
    total.requests += 1;
    if (status === "failed" || status === "refused") total.errors += 1;
    total.amountMicrousd += billing.amountMicrousd;
    total.cacheSavedMicrousd += billing.cacheSavedMicrousd ?? 0;
    addQuantities(total.quantities, usage.dimensions);
  }
  return total;
}

/** Expects percentiles as near to those of the records as is promised. */
export function expectPercentiles(found: Percentiles | null, records: readonly UsageRecord[], of: Duration): void {
  const values = records.flatMap(({ status, routing }) => (status === "succeeded" ? (routing[of] ?? []) : []));
  if (values.length === 0) return expect(found).toBeNull();
  const ordered = values.toSorted((a, b) => a - b);
  for (const [name, percent] of [
    ["p50", 50],
    ["p95", 95],
  ] as const) {
    const exact = ordered[Math.ceil((ordered.length * percent) / 100) - 1] ?? Number.NaN;
    expect(Math.abs((found?.[name] ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact / 16);
  }
}

type Duration = "latencyMs" | "timeToFirstByteMs";

/** The rows of sums, each as an object. */
export function rowsOf(sums: RollupSums) {
  const { count, ranges, names, requests, errors, amountsMicrousd, cacheSavedMicrousd, quantities } = sums;
  return Array.from({ length: count }, (_, row) => {
    const all = noQuantities();
    for (const { place, sums } of quantities) all[place] = sums[row] ?? 0;
    return {
      range: ranges[row] ?? -1,
      names: names.map((column) => column[row] ?? ""),
      requests: requests[row] ?? 0,
      errors: errors[row] ?? 0,
      amountMicrousd: amountsMicrousd[row] ?? 0,
      cacheSavedMicrousd: cacheSavedMicrousd[row] ?? 0,
      quantities: all,
    };
  });
}

export function totalOfRows(rows: readonly Total[]): Total {
  const total = none();
  for (const { requests, errors, amountMicrousd, cacheSavedMicrousd, quantities } of rows) {
    total.requests += requests;
    total.errors += errors;
    total.amountMicrousd += amountMicrousd;
    total.cacheSavedMicrousd += cacheSavedMicrousd;
    quantities.forEach((quantity, place) => (total.quantities[place] = (total.quantities[place] ?? 0) + quantity));
  }
  return total;
}
