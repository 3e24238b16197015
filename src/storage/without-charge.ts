import { refundedCharge } from "../billing/charge.ts";
import { type CompactRecord, compactRecord, expandRecord } from "../records/compact-record.ts";

/** The record of a request that has lost its idempotency key to another one, which is charged in its place. */
export function withoutCharge(compacted: CompactRecord): CompactRecord {
  const record = expandRecord(compacted);
  return compactRecord({ ...record, billing: refundedCharge(record.billing.pricingVersion) });
}
