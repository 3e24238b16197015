import { type CompactRecord, expandRecord, type StoredRecord } from "../records/compact-record.ts";
import type { RecordStatus, UsageRecord } from "../records/record.ts";
import type { RequestRow } from "./schema.ts";

/** A record as its row. */
export function recordToRow(record: CompactRecord): RequestRow {
  return {
    id: record.id,
    key_id: record.keyId,
    response_id: record.responseId,
    created_at: record.createdAt,
    model: record.model,
    endpoint: record.endpoint,
    status: record.status,
    amount_microusd: record.amountMicrousd,
    input_tokens: record.inputTokens,
    output_tokens: record.outputTokens,
    body: record.body,
    account_id: record.accountId,
    held_microusd: record.heldMicrousd,
    tags: record.tags,
    end_user: record.endUser,
    session: record.session,
    provider: record.counted.provider ?? "",
    latency_ms: record.counted.latencyMs,
  };
}

/** A row as the record it keeps. */
export function rowToRecord(row: RequestRow): UsageRecord {
  return expandRecord(rowToCompact(row));
}

/** What the row keeps of a compact record. */
export function rowToCompact(row: RequestRow): StoredRecord {
  return {
    id: row.id,
    keyId: row.key_id,
    responseId: row.response_id,
    createdAt: row.created_at,
    model: row.model,
    endpoint: row.endpoint,
    // `recordToRow` wrote it.
    status: row.status as RecordStatus,
    amountMicrousd: row.amount_microusd,
    inputTokens: row.input_tokens,
    outputTokens: row.output_tokens,
    body: row.body,
    accountId: row.account_id,
    heldMicrousd: row.held_microusd,
    tags: row.tags,
    endUser: row.end_user,
    session: row.session,
  };
}
