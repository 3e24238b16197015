import { Database } from "bun:sqlite";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { rowToRecord } from "../src/storage/record-row.ts";
import type { RequestRow } from "../src/storage/schema.ts";

/** One record as the storage has it, read past the gateway. */
export interface KeptRecord {
  readonly id: string;
  readonly key_id: string;
  readonly status: string;
  readonly status_code: number;
  readonly amount_microusd: number;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly resolved_model: string | null;
  readonly attempts: number;
  /** The provider reported more than is possible, and it was bounded. */
  readonly isSuspect: boolean;
}

/** All records. The gateway must have ended. */
export function readRecords(databaseFile: string): KeptRecord[] {
  const database = new Database(databaseFile, { readonly: true });
  try {
    return database.query<RequestRow, []>("SELECT * FROM requests").all().map(rowToKept);
  } finally {
    database.close();
  }
}

function rowToKept(row: RequestRow): KeptRecord {
  const { routing, billing } = rowToRecord(row);
  const { statusCode, resolvedModel, attempts } = routing;
  const { id, key_id, status, amount_microusd, input_tokens, output_tokens } = row;
  return {
    id,
    key_id,
    status,
    status_code: statusCode,
    amount_microusd,
    input_tokens,
    output_tokens,
    resolved_model: resolvedModel,
    attempts,
    isSuspect: billing.suspect === true,
  };
}

/** The contents of the gateway's log. */
export interface LogTale {
  /** Ids of the requests that must have a record, one for each line: twice if one was settled twice. */
  readonly settled: readonly string[];
  /** Lines that report an error or are not log lines; the first of them. */
  readonly alarms: readonly string[];
  readonly alarmCount: number;
  readonly circuitsOpened: number;
}

const maxAlarms = 5;

export async function readLog(file: string): Promise<LogTale> {
  const settled: string[] = [];
  const alarms: string[] = [];
  let [alarmCount, circuitsOpened] = [0, 0];
  for await (const line of createInterface({ input: createReadStream(file) })) {
    const fields = parse(line);
    if (fields === null || fields.level === "error" || /unhandled|uncaught/i.test(line)) {
      alarmCount++;
      if (alarms.length < maxAlarms) alarms.push(line.slice(0, 2000));
    }
    if (fields?.circuit === "open") circuitsOpened++;
    if (fields?.message === "request" && leavesRecord(fields)) settled.push(String(fields.request_id));
  }
  return { settled, alarms, alarmCount, circuitsOpened };
}

/** Requests with an unknown key, or turned away by a limit or by the gateway's own bound, leave none. */
function leavesRecord(fields: Readonly<Record<string, unknown>>): boolean {
  if (fields.key_id === null) return false;
  const isLimited = fields.error_type === "rate_limit_exceeded" || fields.error_code === "overloaded";
  return !(fields.status === "refused" && isLimited);
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
