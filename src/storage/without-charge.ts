import { refundedCharge } from "../billing/charge.ts";
import type { UsageRecord } from "../records/record.ts";

/** The record of a request that has lost its idempotency key to another one, which is charged in its place. */
export function withoutCharge(record: UsageRecord): UsageRecord {
  return { ...record, billing: refundedCharge(record.billing.pricingVersion) };
}
