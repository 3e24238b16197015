/**
 * What an entry of the ledger books. Each moves one amount between the account and a second party: `credit` from funds,
 * `charge` to revenue and `refund` back from it, `adjustment` from or to corrections, `hold` and `release` to and from
 * what is held of the account itself.
 */
export type EntryKind = "credit" | "hold" | "charge" | "release" | "refund" | "adjustment";

/** One entry. It never changes. */
export interface LedgerEntry {
  /** `ent_...`: unique within the account. Ids sort by time. */
  readonly id: string;
  readonly kind: EntryKind;
  /** What it adds to the amount that the account may spend; negative if it takes from it. Whole micro-USD. */
  readonly amountMicrousd: number;
  readonly accountId: string;
  /** The request or job that it belongs to; null for credits and debits. */
  readonly requestId: string | null;
  /** The price list of a charge; null if there is none. */
  readonly pricingVersion: number | null;
  /** Milliseconds since 1970. Entries of a request have the time of its record. */
  readonly createdAt: number;
  /** A second entry with the same key is not made. Null for entries of requests, whose ids serve for that. */
  readonly idempotencyKey: string | null;
  readonly note: string | null;
}

/** What the ledger needs to know of a record. */
export interface BookedRecord {
  readonly id: string;
  readonly accountId: string;
  /** `pending` while its job runs; anything else is final. */
  readonly status: string;
  readonly amountMicrousd: number;
  readonly heldMicrousd: number;
  readonly pricingVersion: number;
  readonly createdAt: number;
}

/**
 * A row of the ledger. A request whose hold came and went with its charge has one row for all of it: `heldMicrousd` was
 * held before the charge and released after it. The hold of a job has a row of its own, and so has its release.
 */
export interface LedgerRow extends LedgerEntry {
  readonly heldMicrousd: number;
}

/**
 * The rows of a record. Whatever of them exists already is not made again.
 * @param wasPending the record takes the place of one that was `pending`
 */
export function rowsOf(record: BookedRecord, wasPending: boolean): LedgerRow[] {
  const { amountMicrousd, heldMicrousd, status } = record;
  if (status === "pending") return heldMicrousd === 0 ? [] : [rowOf(record, "hold", -heldMicrousd)];
  if (!wasPending) {
    const isEmpty = amountMicrousd === 0 && heldMicrousd === 0;
    return isEmpty ? [] : [rowOf(record, "charge", -amountMicrousd, heldMicrousd)];
  }
  const rows: LedgerRow[] = [];
  if (amountMicrousd !== 0) rows.push(rowOf(record, "charge", -amountMicrousd));
  if (heldMicrousd !== 0) rows.push(rowOf(record, "release", heldMicrousd));
  return rows;
}

/** The entries of a row, newest first. */
export function entriesOf({ heldMicrousd, ...entry }: LedgerRow): LedgerEntry[] {
  if (heldMicrousd === 0) return [entry];
  const part = (kind: keyof typeof places, amountMicrousd: number): LedgerEntry => {
    return { ...entry, id: entry.id.slice(0, -1) + String(places[kind]), kind, amountMicrousd };
  };
  const charge = entry.amountMicrousd === 0 ? [] : [entry];
  return [part("release", heldMicrousd), ...charge, part("hold", -heldMicrousd)];
}

/** The id of the row that has an entry: entries are listed by their own ids. */
export function rowIdOf(entryId: string): string {
  return entryId.replace(/_[13]$/, `_${places.charge}`);
}

/** What the log says of a charge that was forgiven. */
export const chargeForgiven = "a charge was forgiven: its lease had expired and the balance does not cover it";

/** The note of an entry that forgives. */
export const forgivenNote = "not covered: the lease of the request had expired";

/** Forgives the part of a record's charge that neither its lease nor what is free covers. */
export function shortfallRow(record: BookedRecord, amountMicrousd: number): LedgerRow {
  return { ...rowOf(record, "adjustment", amountMicrousd), note: forgivenNote };
}

/** In the order in which a request's entries are listed. */
const places = { hold: 1, charge: 2, release: 3, adjustment: 4 } as const;

function rowOf(record: BookedRecord, kind: keyof typeof places, amountMicrousd: number, heldMicrousd = 0): LedgerRow {
  const { id, accountId, pricingVersion, createdAt } = record;
  return {
    id: `${entryPrefix}${id.slice(id.indexOf("_") + 1)}_${places[kind]}`,
    kind,
    amountMicrousd,
    accountId,
    requestId: id,
    pricingVersion,
    createdAt,
    idempotencyKey: null,
    note: null,
    heldMicrousd,
  };
}

const entryPrefix = "ent_";

/** The id of an entry that belongs to no request. @param uniqueId 26 characters that sort by time */
export function entryId(uniqueId: string): string {
  return `${entryPrefix}${uniqueId}_0`;
}
