import { Database } from "bun:sqlite";
import type { Job } from "./client/job.ts";
import type { Contender } from "./contenders/contender.ts";
import { type LoadTools, runClient } from "./load.ts";
import type { Answering } from "./payload/dialect.ts";

/** The table of Tollgate's storage that has one row a request. */
const recordTable = "requests";

/** How many requests Tollgate has answered in this run. */
export interface RequestLedger {
  readonly answered: number;
  /** Broken off by the load tools while under way: each may have left a record, or not. */
  readonly cut: number;
  add(answered: number, cut: number): void;
}

export function createLedger(): RequestLedger {
  let [allAnswered, allCut] = [0, 0];
  return {
    get answered() {
      return allAnswered;
    },
    get cut() {
      return allCut;
    },
    add(answered, cut) {
      allAnswered += answered;
      allCut += cut;
    },
  };
}

/** Records against requests: after one load whose every answer was awaited, and over the whole run. */
export interface RecordCheck {
  readonly drained: { readonly answered: number; readonly records: number };
  readonly wholeRun: { readonly answered: number; readonly cut: number; readonly records: number };
  readonly equal: boolean;
}

const settleLimitMilliseconds = 10_000;
const pollMilliseconds = 50;
const quietPolls = 20;

/**
 * Sends a counted load of JSON calls and streams, as fast as it is answered, waits for every answer, and counts what
 * the storage gained meanwhile: exactly as much. Then holds the whole run against all that the storage has.
 */
export async function checkRecords(
  tools: LoadTools,
  tollgate: Contender & { readonly ledger: RequestLedger },
  databaseFile: string,
  plan: { readonly requests: number; readonly streams: number; readonly connections: number },
): Promise<RecordCheck> {
  const { ledger } = tollgate;
  // What was broken off may be recorded late: those records are not of the load that follows.
  const before = await settledCount(databaseFile, ledger.answered + ledger.cut);
  let answered = 0;
  for (const [answering, requests] of [
    ["json", plan.requests],
    ["stream", plan.streams],
  ] as const) {
    answered += (await runClient(tools, countedJob(tollgate, answering, requests, plan.connections))).answered;
  }
  ledger.add(answered, 0);
  const after = await settledCount(databaseFile, before + answered);
  const drained = { answered, records: after - before };
  const wholeRun = { answered: ledger.answered, cut: ledger.cut, records: after };
  const within = after >= wholeRun.answered && after <= wholeRun.answered + wholeRun.cut;
  return { drained, wholeRun, equal: drained.records === drained.answered && within };
}

/** Records in the storage, read beside the running gateway. */
function countRecords(databaseFile: string): number {
  const database = new Database(databaseFile, { readonly: true });
  try {
    const row = database.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${recordTable}`).get();
    return row?.count ?? 0;
  } finally {
    database.close();
  }
}

/**
 * How many records the storage has once the number has not moved for a second and is not below `expected`, or after ten
 * seconds: records may reach the storage a little after their answers, and what was broken off is estimated later still.
 */
export async function settledCount(databaseFile: string, expected = 0): Promise<number> {
  const limit = performance.now() + settleLimitMilliseconds;
  let count = countRecords(databaseFile);
  for (let quiet = 0; (quiet < quietPolls || count < expected) && performance.now() < limit;) {
    await Bun.sleep(pollMilliseconds);
    const now = countRecords(databaseFile);
    quiet = now === count ? quiet + 1 : 0;
    count = now;
  }
  return count;
}

function countedJob(tollgate: Contender, answering: Answering, requests: number, connections: number): Job {
  return { ...tollgate.call(answering), connections, mode: { kind: "closed", seconds: 60, requests } };
}
