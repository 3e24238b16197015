import { dueEntries, type EntryFacts } from "../../billing/audit.ts";
import { modulus } from "../usage/rollup-checksums.ts";
import type { RollupSalt } from "../usage/rollup-audit.ts";
import { type RecordRange, within } from "./audit-range.ts";
import type { AuditQuery } from "./read-each.ts";

/** The sums of charges, and of holds and releases, and their number, as one text. */
const entrySums = `sum(case kind when 'charge' then amount_microusd else 0 end) || ' ' ||
    sum(case when kind in ('hold', 'release') then amount_microusd else 0 end) || ' ' || count(*)`;
/** The ids of a request's entries follow from its own, and lie side by side. */
const entriesOf = (request: string) => `ledger_entries.id > 'ent_' || substr(${request}, 5) || '_'
    and ledger_entries.id < 'ent_' || substr(${request}, 5) || '_~'`;

/** The sums of a record's entries as a column of `requests`. SQLite finds them at once. */
export const entriesOfRecord = `(select ${entrySums} from ledger_entries
    where ledger_entries.account_id = requests.account_id
      and ${entriesOf("requests.id")} and ledger_entries.request_id = requests.id)`;

/** What `entrySums` says; zeros for a record without entries. */
export function readEntrySums(text: string | null): { charged: number; entryHeld: number; entries: number } {
  const [charged = 0, entryHeld = 0, entries = 0] = text?.split(" ").map(Number) ?? [];
  return { charged, entryHeld, entries };
}

export type JoinedRow = Pick<EntryFacts, "id" | "status" | "amount" | "held"> & { readonly entries: string | null };

/** Records of a range with the sums of their entries, for Postgres, which reads all in one go rather than each by itself. */
export function joinedEntriesQuery({ from, to }: RecordRange): AuditQuery<JoinedRow> {
  const records = within("requests.id", { from, to });
  const entryId = (request: string | null) => (request === null ? null : `'ent_' || substr(${request}, 5)`);
  const entries = within("ledger_entries.id", { from: entryId(from), to: entryId(to) });
  return `select requests.id, status, requests.amount_microusd as amount, requests.held_microusd as held, entries
    from requests left join (
      select sums.* from (select distinct account_id from requests where ${records}) as owners cross join lateral (
        select account_id, request_id, ${entrySums} as entries from ledger_entries
          where account_id = owners.account_id and ${entries} and ${entriesOf("request_id")}
          group by account_id, request_id
      ) as sums
    ) as sums on sums.account_id = requests.account_id and sums.request_id = requests.id
    where ${records}`;
}

/**
 * Two numbers that the entries of requests come to, and their records too, in whatever order, if each record has the
 * entries that are due: sums of their amounts, multiplied by hashes of request and account that nobody can guess. Joining
 * entries with records takes Postgres ten times as long, and is done only if the numbers differ.
 */
export class EntryChecksums {
  #low = 0;
  #high = 0;
  readonly #weights: readonly [charge: number, hold: number];

  constructor({ weights: [charge = 1, hold = 1] }: RollupSalt) {
    this.#weights = [charge, hold];
  }

  /** @param hash the record's `entryHash` */
  addRecord(record: Pick<EntryFacts, "status" | "amount" | "held">, hash: number): void {
    const { charged, entryHeld } = dueEntries(record);
    if (charged === 0 && entryHeld === 0) return;
    const [charge, hold] = this.#weights;
    const total = ((charged % modulus) * charge + (entryHeld % modulus) * hold) % modulus;
    this.add([(hash % hashParts) * total, Math.floor(hash / hashParts) * total]);
  }

  add([low, high]: EntryTotals): void {
    this.#low = (this.#low + low) % modulus;
    this.#high = (this.#high + high) % modulus;
  }

  get totals(): EntryTotals {
    return [this.#low, this.#high];
  }

  differFrom([low, high]: EntryTotals): boolean {
    return (this.#low - low) % modulus !== 0 || (this.#high - high) % modulus !== 0;
  }
}

export type EntryTotals = readonly [low: number, high: number];

/** Each of a hash's two parts is below this: 26 bits. */
const hashParts = 67_108_864;

/** A hash of 52 bits as a column, in Postgres. */
export const entryHash = (account: string, request: string, { seed }: RollupSalt) =>
  `hashtextextended(${account} || ' ' || ${request}, ${seed}) & ${hashParts * hashParts - 1}`;

/** The two numbers of `EntryChecksums`, as columns of `ledger_entries` in Postgres. */
export function entryChecksumColumns(salt: RollupSalt): readonly [low: string, high: string] {
  const [charge = 1, hold = 1] = salt.weights;
  const hash = entryHash("account_id", "request_id", salt);
  const total = `amount_microusd % ${modulus} * case when kind = 'charge' then ${charge}
    when kind in ('hold', 'release') then ${hold} else 0 end % ${modulus}`;
  return [`sum((${hash} & ${hashParts - 1}) * (${total}))`, `sum((${hash} >> 26) * (${total}))`];
}

/**
 * Entries that the checksums may not show if they have no record: several of one request could come to nothing. All others
 * of requests are charges of more than nothing.
 */
export const mayCancelOut = "(request_id is not null and (kind <> 'charge' or ledger_entries.amount_microusd >= 0))";
