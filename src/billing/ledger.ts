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
 * The entries of a record. What it held is held while it is `pending`, and given back when it is final: whatever of these
 * entries exists already is not made again.
 */
export function entriesOf(record: BookedRecord): LedgerEntry[] {
  const { amountMicrousd, heldMicrousd, status } = record;
  const entries: LedgerEntry[] = [];
  if (heldMicrousd !== 0) entries.push(entryOf(record, "hold", -heldMicrousd, null));
  if (status === "pending") return entries;
  if (amountMicrousd !== 0) entries.push(entryOf(record, "charge", -amountMicrousd, null));
  if (heldMicrousd !== 0) entries.push(entryOf(record, "release", heldMicrousd, null));
  return entries;
}

/** What the log says of a charge that was forgiven. */
export const chargeForgiven = "a charge was forgiven: its lease had expired and the balance does not cover it";

/** The note of an entry that forgives. */
export const forgivenNote = "not covered: the lease of the request had expired";

/** Forgives the part of a record's charge that neither its lease nor what is free covers. */
export function shortfallEntry(record: BookedRecord, amountMicrousd: number): LedgerEntry {
  return entryOf(record, "adjustment", amountMicrousd, forgivenNote);
}

/** In the order in which a request's entries are listed. */
const places = { hold: 1, charge: 2, release: 3, adjustment: 4 } as const;

function entryOf(record: BookedRecord, kind: keyof typeof places, amountMicrousd: number, note: string | null) {
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
    note,
  } satisfies LedgerEntry;
}

const entryPrefix = "ent_";

/** The id of an entry that belongs to no request. @param uniqueId 26 characters that sort by time */
export function entryId(uniqueId: string): string {
  return `${entryPrefix}${uniqueId}_0`;
}
