import { Database } from "bun:sqlite";
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

/** A record, read directly from the storage. */
export interface StoredRecord {
  readonly id: string;
  readonly key_id: string;
  readonly status: string;
  readonly status_code: number;
  readonly amount_microusd: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly resolved_model: string | null;
  readonly attempts: number;
}

/** Reads all records. The gateway must have exited. */
export function readRecords(databaseFile: string): StoredRecord[] {
  const database = new Database(databaseFile, { readonly: true });
  try {
    const columns =
      "id, key_id, status, status_code, amount_microusd, input_tokens, output_tokens, resolved_model, attempts";
    return database.query<StoredRecord, []>(`SELECT ${columns} FROM requests`).all();
  } finally {
    database.close();
  }
}

<<<<<<< HEAD:soak/kept.ts
/** What the gateway's log tells. */
export interface LogTale {
  /** Ids of the requests that must have a record, one for each line: twice if one was settled twice. */
  readonly settled: readonly string[];
  /** Lines that report an error or are not log lines; the first of them. */
=======
/** A summary of the gateway's log. */
export interface LogSummary {
  /** Ids of the requests that must have a record, one for each log line. */
  readonly settled: readonly string[];
  /** The first lines with an error, or that are not JSON. */
>>>>>>> words:soak/evidence.ts
  readonly alarms: readonly string[];
  readonly alarmCount: number;
  readonly circuitsOpened: number;
}

const maxAlarms = 5;

export async function readLog(file: string): Promise<LogSummary> {
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

<<<<<<< HEAD:soak/kept.ts
/** Requests with an unknown key, or turned away by a limit or by the gateway's own bound, leave none. */
=======
/** Requests without a valid key, or refused by a limit or the gateway's capacity, leave no record. */
>>>>>>> words:soak/evidence.ts
function leavesRecord(fields: Readonly<Record<string, unknown>>): boolean {
  if (fields.key_id === null || fields.error_type === "rate_limit_exceeded") return false;
  return !(fields.status === "refused" && fields.error_code === "overloaded");
}

function parse(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
