import type { BillingStatus, LineItem } from "../billing/prices/prices.ts";
import type { JsonObject } from "../json/values.ts";
import type { Dimension, Measurement, MeasurementSource, Usage } from "../metering/usage.ts";
import { sideOf } from "../dimensions.ts";
import { storableText } from "./storable-text.ts";
import type { IdempotentEnd, ProviderWords, RecordAttempt, RecordStatus, UsageRecord } from "./record.ts";

/**
 * A record as it is written to the journal and to the store: what lists and sums ask for has a field, the rest is one
 * text, which nothing but `expandRecord` reads.
 */
export interface CompactRecord {
  readonly id: string;
  readonly keyId: string;
  readonly accountId: string;
  readonly responseId: string | null;
  readonly createdAt: number;
  readonly model: string;
  readonly endpoint: string;
  readonly status: RecordStatus;
  readonly amountMicrousd: number;
  readonly heldMicrousd: number;
  readonly pricingVersion: number;
  /** What an operator should know of its bill; null if nothing. */
  readonly notice: "unpriced" | "suspect" | null;
  /** All tokens read, whatever their price. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** A JSON array: see `Body`. */
  readonly body: string;
  /** What summaries add up of the body. */
  readonly counted: CountedFacts;
  readonly leaseId: string | undefined;
  /** As in `Attribution`. */
  readonly tags: string | null;
  readonly endUser: string | null;
  readonly session: string | null;
  readonly idempotent: IdempotentEnd | undefined;
}

/** Facts of a record's body that summaries count. */
export interface CountedFacts {
  /** The provider's id, null if none was called. */
  readonly provider: string | null;
  readonly dimensions: readonly Dimension[];
  /** The whole request. */
  readonly latencyMs: number;
  readonly timeToFirstByteMs: number | null;
  /** As in `Charge`; 0 if nothing was saved. */
  readonly cacheSavedMicrousd: number;
}

/** Characters of a provider's raw usage; what is longer is left out and marked. */
const maxRawFields = 16 * 1024;
/** Attempts listed in a record; `routing.attempts` counts all of them. */
const maxAttempts = 32;
/** Characters of each text in a bare record. */
const maxBareText = 64;
/** Response ids are longer than this nowhere; shorter, and a lookup would not find them. */
const maxBareResponseId = 128;

/** The record's compact form. Never fails: text that a database would refuse is mended, overlong text is cut. */
export function compactRecord(record: UsageRecord): CompactRecord {
  return compact(record, bodyText(record));
}

/**
 * The same record without what may be long, for when room is short: raw usage, the list of attempts, and the answer for
 * repetitions. Its line is shorter than the room that is reserved for a request.
 */
export function bareRecord(whole: CompactRecord): CompactRecord {
  const { routeReceipt: _, ...record } = expandRecord(whole);
  const bare: UsageRecord = {
    ...record,
    responseId: record.responseId === null ? null : record.responseId.slice(0, maxBareResponseId),
    model: cut(record.model),
    endpoint: cut(record.endpoint),
    error: record.error && { type: record.error.type, code: record.error.code && cut(record.error.code) },
    attempts: [],
    providerUsage: record.providerUsage && { ...record.providerUsage, rawFields: {}, omitted: true },
  };
  const { idempotent, leaseId } = whole;
  return {
    ...compact(idempotent ? { ...bare, idempotent: { ...idempotent, answer: null } } : bare, bodyText(bare)),
    leaseId,
  };
}

function cut(text: string): string {
  return text.slice(0, maxBareText);
}

function compact(record: UsageRecord, body: string): CompactRecord {
  let inputTokens = 0;
  let outputTokens = 0;
  for (const { name, quantity, unit } of record.usage.dimensions) {
    if (unit !== "token") continue;
    if (sideOf(name) === "output") outputTokens += quantity;
    else inputTokens += quantity;
  }
  const { tags, endUser, session } = record.attribution;
  return {
    id: record.id,
    keyId: record.keyId,
    accountId: record.accountId,
    responseId: record.responseId === null ? null : storableText(record.responseId),
    createdAt: record.createdAt,
    model: storableText(record.model),
    endpoint: storableText(record.endpoint),
    status: record.status,
    amountMicrousd: record.billing.amountMicrousd,
    heldMicrousd: record.heldMicrousd,
    pricingVersion: record.billing.pricingVersion,
    notice: noticeOf(record.billing.status, record.billing.suspect === true),
    inputTokens,
    outputTokens,
    body,
    counted: {
      provider: record.routing.provider,
      dimensions: record.usage.dimensions,
      latencyMs: Math.round(record.routing.latencyMs),
      timeToFirstByteMs: rounded(record.routing.timeToFirstByteMs),
      cacheSavedMicrousd: record.billing.cacheSavedMicrousd ?? 0,
    },
    leaseId: record.leaseId,
    tags,
    endUser: endUser === null ? null : storableText(endUser),
    session: session === null ? null : storableText(session),
    idempotent: record.idempotent,
  };
}

function bodyText(record: UsageRecord): string {
  try {
    const text = JSON.stringify(bodyOf(record));
    if (text.length <= maxRawFields) return text;
    const { providerUsage } = record;
    if (providerUsage === null || JSON.stringify(providerUsage.rawFields).length <= maxRawFields) return text;
  } catch {
    // Only raw fields can be too deep or otherwise impossible: the bill must not be lost with them.
  }
  const family = record.providerUsage?.family ?? "";
  return JSON.stringify(bodyOf({ ...record, providerUsage: { family, rawFields: {}, omitted: true } }));
}

/** Arrays, since property names would double the text, and lists flat: fewer arrays make it quicker to write. */
function bodyOf(record: UsageRecord): Body {
  const { error, usage, billing, routing, providerUsage } = record;
  const dimensions: Body[5] = [];
  for (const { name, quantity, unit } of usage.dimensions) dimensions.push(name, quantity, unit);
  const lineItems: Body[8] = [];
  for (const item of billing.lineItems) {
    lineItems.push(item.dimension, item.quantity, item.unit, item.unitSize, item.unitMicrousd, item.amountMicrousd);
  }
  const attempts: Body[17] = [];
  const words: NonNullable<Body[20]> = [];
  const starts: NonNullable<Body[25]> = [];
  for (const each of record.attempts.length > maxAttempts ? record.attempts.slice(-maxAttempts) : record.attempts) {
    attempts.push(each.model, each.provider, each.upstreamModel, each.outcome, each.status, each.error);
    attempts.push(each.latencyMs, each.costMicrousd, each.cost);
    starts.push(each.startedMs);
    if (each.words === null) continue;
    const { code, message } = each.words;
    words.push(attempts.length / attemptFields - 1, code && storableText(code), message && storableText(message));
  }
  const body: Body = [
    record.stream ? 1 : 0,
    error === null ? null : error.type,
    error === null || error.code === null ? null : storableText(error.code),
    usage.measurement === null ? null : usage.measurement.input,
    usage.measurement === null ? null : usage.measurement.output,
    dimensions,
    billing.status,
    billing.pricingVersion,
    lineItems,
    routing.strategyName,
    routing.resolvedModel,
    routing.provider,
    routing.statusCode,
    Math.round(routing.latencyMs),
    rounded(routing.timeToFirstByteMs),
    rounded(routing.upstreamMs),
    routing.attempts,
    attempts,
    providerUsage === null ? null : providerUsage.family,
    providerUsage === null || providerUsage.omitted ? null : providerUsage.rawFields,
  ];
  const { suspect = false, cacheSavedMicrousd = 0 } = billing;
  const { routeReceipt, bodies } = record;
  // The last fields, which few records have, are left out up to the last one that says something.
  const hasStarts = starts.some((start) => start !== null);
  const last = hasStarts
    ? 6
    : bodies
      ? 5
      : cacheSavedMicrousd !== 0
        ? 4
        : routeReceipt
          ? 3
          : suspect
            ? 2
            : words.length > 0
              ? 1
              : 0;
  if (last >= 1) body.push(words);
  if (last >= 2) body.push(suspect ? 1 : 0);
  if (last >= 3) body.push(routeReceipt ?? null);
  if (last >= 4) body.push(cacheSavedMicrousd);
  if (last >= 5) body.push(bodies ? 1 : 0);
  if (last >= 6) body.push(starts);
  return body;
}

function rounded(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.round(milliseconds);
}

/** The fields of a body, in this order. */
type Body = [
  stream: 0 | 1,
  errorType: string | null,
  errorCode: string | null,
  /** Both null if nothing is counted in tokens. */
  inputMeasurement: MeasurementSource | null,
  outputMeasurement: MeasurementSource | null,
  /** Name, quantity and unit of each. */
  dimensions: (string | number)[],
  billingStatus: BillingStatus,
  pricingVersion: number,
  /** Dimension, quantity, unit, unit size, micro-USD a unit and amount of each. */
  lineItems: (string | number)[],
  strategyName: string,
  resolvedModel: string | null,
  provider: string | null,
  statusCode: number,
  latencyMs: number,
  timeToFirstByteMs: number | null,
  upstreamMs: number | null,
  attemptCount: number,
  /** Model, provider, upstream model, outcome, status, error, latency, cost and how the cost is known, of each. */
  attempts: (string | number | null)[],
  family: string | null,
  /** Null if they were left out. */
  rawFields: Readonly<Record<string, unknown>> | null,
  /** The place of a failed attempt in the list, and the provider's code and message, of each; absent if none failed. */
  words?: (string | number | null)[],
  /** Whether the usage was bounded; absent if not. */
  suspect?: 0 | 1,
  /** Null if it was no search; absent if nothing follows. */
  routeReceipt?: JsonObject | null,
  /** What cached input saved; absent if nothing follows. */
  cacheSavedMicrousd?: number,
  /** 1: the bodies were kept; absent if they were not and nothing follows. */
  bodies?: 0 | 1,
  /** When each attempt began, in milliseconds from the arrival; absent if none has it. */
  starts?: (number | null)[],
];

/** What the store keeps of a record. */
export type StoredRecord = Omit<CompactRecord, "pricingVersion" | "notice" | "counted" | "leaseId" | "idempotent">;

/** The record that was made compact, without its `idempotent` and its lease. */
export function expandRecord(compacted: StoredRecord): UsageRecord {
  // prettier-ignore
  const [
    stream, errorType, errorCode, input, output, dimensions, billingStatus, pricingVersion, lineItems, strategyName,
    resolvedModel, provider, statusCode, latencyMs, timeToFirstByteMs, upstreamMs, attemptCount, attempts, family,
    rawFields, words = [], suspect, routeReceipt, cacheSavedMicrousd = 0, bodies, starts = [],
  ] = JSON.parse(compacted.body) as Body; // `bodyOf` made it.
  return {
    id: compacted.id,
    responseId: compacted.responseId,
    keyId: compacted.keyId,
    accountId: compacted.accountId,
    heldMicrousd: compacted.heldMicrousd,
    createdAt: compacted.createdAt,
    model: compacted.model,
    endpoint: compacted.endpoint,
    stream: stream === 1,
    status: compacted.status,
    error: errorType === null ? null : { type: errorType, code: errorCode },
    usage: { dimensions: expandDimensions(dimensions), measurement: measurementOf(input, output) },
    billing: {
      status: billingStatus,
      amountMicrousd: compacted.amountMicrousd,
      pricingVersion,
      lineItems: expandLineItems(lineItems),
      ...(suspect === 1 && { suspect: true as const }),
      ...(cacheSavedMicrousd !== 0 && { cacheSavedMicrousd }),
    },
    routing: {
      strategyName,
      resolvedModel,
      provider,
      statusCode,
      latencyMs,
      timeToFirstByteMs,
      upstreamMs,
      attempts: attemptCount,
    },
    attempts: expandAttempts(attempts, expandWords(words), starts),
    providerUsage:
      family === null ? null : rawFields === null ? { family, rawFields: {}, omitted: true } : { family, rawFields },
    attribution: { tags: compacted.tags, endUser: compacted.endUser, session: compacted.session },
    ...(routeReceipt && { routeReceipt }),
    ...(bodies === 1 && { bodies: "kept" as const }),
  };
}

function measurementOf(input: Body[3], output: Body[4]): Measurement | null {
  return input === null || output === null ? null : { input, output };
}

/** Reads from a body what a compact record has beside it. Throws a `SyntaxError` if the body is not a whole one. */
export function factsIn(body: string): Pick<CompactRecord, "pricingVersion" | "notice" | "counted"> {
  const fields = JSON.parse(body) as Body; // `bodyOf` made it.
  return {
    pricingVersion: fields[7],
    notice: noticeOf(fields[6], fields[21] === 1),
    counted: countedIn(fields),
  };
}

function countedIn(fields: Body): CountedFacts {
  return {
    provider: fields[11],
    dimensions: expandDimensions(fields[5]),
    latencyMs: fields[13],
    timeToFirstByteMs: fields[14],
    cacheSavedMicrousd: fields[23] ?? 0,
  };
}

/** Reads from a body what an audit checks. Throws a `SyntaxError` if the body is not a whole one. */
export function billIn(body: string): Bill {
  const fields = JSON.parse(body) as Body; // `bodyOf` made it.
  return {
    measurement: measurementOf(fields[3], fields[4]),
    lineItems: expandLineItems(fields[8]),
    counted: countedIn(fields),
  };
}

/** What was consumed, and what it cost. */
export interface Bill {
  readonly measurement: Usage["measurement"];
  readonly lineItems: readonly LineItem[];
  readonly counted: CountedFacts;
}

function noticeOf(status: BillingStatus, isSuspect: boolean): CompactRecord["notice"] {
  return isSuspect ? "suspect" : status === "unpriced" ? "unpriced" : null;
}

// The lists were written in groups of these types by `bodyOf`.

function expandDimensions(flat: readonly (string | number)[]): Dimension[] {
  const dimensions: Dimension[] = [];
  for (let at = 0; at < flat.length; at += 3) {
    const [name, quantity, unit] = [flat[at], flat[at + 1], flat[at + 2]];
    dimensions.push({ name, quantity, unit } as Dimension);
  }
  return dimensions;
}

function expandLineItems(flat: readonly (string | number)[]): LineItem[] {
  const items: LineItem[] = [];
  for (let at = 0; at < flat.length; at += 6) {
    const [dimension, quantity, unit] = [flat[at], flat[at + 1], flat[at + 2]];
    const [unitSize, unitMicrousd, amountMicrousd] = [flat[at + 3], flat[at + 4], flat[at + 5]];
    items.push({ dimension, quantity, unit, unitSize, unitMicrousd, amountMicrousd } as LineItem);
  }
  return items;
}

type FlatAttempt = [
  model: string,
  provider: string,
  upstreamModel: string,
  outcome: RecordAttempt["outcome"],
  status: number | null,
  error: string | null,
  latencyMs: number,
  costMicrousd: number,
  cost: RecordAttempt["cost"],
];

/** The length of a `FlatAttempt`. */
const attemptFields = 9;

function expandAttempts(
  flat: readonly unknown[],
  words: ReadonlyMap<number, ProviderWords>,
  starts: readonly (number | null)[],
): RecordAttempt[] {
  return groups<FlatAttempt>(flat, attemptFields).map(
    ([model, provider, upstreamModel, outcome, status, error, latencyMs, costMicrousd, cost], place) => ({
      model,
      provider,
      upstreamModel,
      outcome,
      status,
      error,
      words: words.get(place) ?? null,
      startedMs: starts[place] ?? null,
      latencyMs,
      costMicrousd,
      cost,
    }),
  );
}

function expandWords(flat: readonly unknown[]): Map<number, ProviderWords> {
  const all = groups<[place: number, code: string | null, message: string | null]>(flat, 3);
  return new Map(all.map(([place, code, message]) => [place, { code, message }]));
}

function groups<Group>(flat: readonly unknown[], size: number): Group[] {
  return Array.from(
    { length: flat.length / size },
    (_, index) => flat.slice(index * size, (index + 1) * size) as Group,
  );
}
