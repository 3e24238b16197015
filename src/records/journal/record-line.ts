import { type CompactRecord, factsIn } from "../compact-record.ts";
import type { IdempotentEnd, RecordStatus } from "../record.ts";

/**
 * A record as a line of the journal: the fields as a JSON array, the body, and what it has for repetitions, with tabs
 * between, which JSON never contains. The body goes from here to the store as it is.
 */
export function recordToLine(record: CompactRecord): string {
  const fields: Fields = [
    record.id,
    record.keyId,
    record.responseId,
    record.createdAt,
    record.model,
    record.endpoint,
    record.status,
    record.amountMicrousd,
    record.inputTokens,
    record.outputTokens,
    record.accountId,
    record.heldMicrousd,
    record.tags,
    record.endUser,
    record.session,
  ];
  if (record.leaseId !== undefined) fields.push(record.leaseId);
  const line = `${JSON.stringify(fields)}\t${record.body}`;
  return record.idempotent === undefined ? `${line}\n` : `${line}\t${JSON.stringify(record.idempotent)}\n`;
}

type Fields = [
  id: string,
  keyId: string,
  responseId: string | null,
  createdAt: number,
  model: string,
  endpoint: string,
  status: RecordStatus,
  amountMicrousd: number,
  inputTokens: number,
  outputTokens: number,
  /** Absent in lines of versions without accounts and attribution. */
  accountId?: string,
  heldMicrousd?: number,
  tags?: string | null,
  endUser?: string | null,
  session?: string | null,
  leaseId?: string,
];

/** The record of a line (without its end). Throws a `SyntaxError` if the line is not a whole one. */
export function lineToRecord(line: string): CompactRecord {
  const [head = "", body = "", tail] = line.split("\t");
  // `recordToLine` wrote it, if it is JSON at all.
  // prettier-ignore
  const [
    id, keyId, responseId, createdAt, model, endpoint, status, amountMicrousd, inputTokens, outputTokens,
    accountId = "default", heldMicrousd = 0, tags = null, endUser = null, session = null, leaseId,
  ] = JSON.parse(head) as Fields;
  const idempotent = tail === undefined ? undefined : (JSON.parse(tail) as IdempotentEnd);
  return {
    id,
    keyId,
    responseId,
    createdAt,
    model,
    endpoint,
    status,
    amountMicrousd,
    inputTokens,
    outputTokens,
    accountId,
    heldMicrousd,
    leaseId,
    body,
    ...factsIn(body),
    tags,
    endUser,
    session,
    idempotent,
  };
}
