import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createHolds } from "../src/billing/holds/holds.ts";
import { BalanceHold } from "../src/billing/holds/lease.ts";
import { steadyClock, systemClock } from "../src/clock.ts";
import { newRequestId } from "../src/identifiers.ts";
import { openJournal } from "../src/records/journal/journal.ts";
import { exampleRecord } from "../src/records/example-record.testkit.ts";
import type { UsageRecord } from "../src/records/record.ts";
import type { RecordStore } from "../src/records/record-store.ts";
import { createRecorder } from "../src/records/recorder/recorder.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { percentile } from "./results/statistics.ts";

/**
 * The cost of a usage record on SQLite, from `commit` to its row: processor time in all threads, and how long the event
 * loop is held by what is done for a turn and by what is done for a batch.
 *
 *   node_modules/bun/bin/bun.exe bench/records-cost.ts [--records 300000] [--turn 100] [--pause-ms 4] [--account unlimited]
 *     [--models 1] [--end-users 0]
 *
 * `--account free` makes records that cost nothing and so have no entries in the ledger; `prepaid` holds each amount first.
 * Models and end users take turns: each has sums of its own.
 */
const { values } = parseArgs({
  options: {
    records: { type: "string", default: "300000" },
    /** Records that are committed in one turn of the event loop. */
    turn: { type: "string", default: "100" },
    /** Between two turns; 0 runs them one after another. */
    "pause-ms": { type: "string", default: "4" },
    /** `free`, `unlimited` or `prepaid`. */
    account: { type: "string", default: "unlimited" },
    models: { type: "string", default: "1" },
    /** 0 makes records without an end user. */
    "end-users": { type: "string", default: "0" },
  },
});
const records = Number(values.records);
const perTurn = Number(values.turn);
const pauseMs = Number(values["pause-ms"]);

const log = { info() {}, warn() {}, error() {} };
const folder = mkdtempSync(join(tmpdir(), "tollgate-records-cost-"));
const storage = await openStorage(`sqlite:${join(folder, "tollgate.db")}`);
const batchMs: number[] = [];
const store: RecordStore = {
  ...storage.records,
  insertAll(batch) {
    const before = performance.now();
    const result = storage.records.insertAll(batch);
    batchMs.push(performance.now() - before);
    return result;
  },
};
const journal = openJournal({ folder: join(folder, "journal"), log });
const recorder = createRecorder({ store, journal, clock: systemClock, log });

const cpuMicros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const randomText = (): string => Math.random().toString(36).slice(2, 13);
const isPrepaid = values.account === "prepaid";
const holds = createHolds({
  store: storage.leases,
  clock: systemClock,
  steady: steadyClock,
  log,
  recover: () => recorder.adoptLeft(),
});
if (isPrepaid) {
  const account = { id: "prepaid", name: "prepaid", mode: "prepaid", markupBasisPoints: 0, createdAt: 0 } as const;
  await storage.accounts.create(account, { kind: "gateway" });
  const entry = {
    id: "ent_1",
    accountId: "prepaid",
    createdAt: 0,
    idempotencyKey: null,
    note: null,
    by: { kind: "gateway" },
  } as const;
  await storage.accounts.post({ ...entry, kind: "credit", amountMicrousd: 1_000_000_000_000_000 });
}
const { billing } = exampleRecord();
const heldMicrousd = 1_000;
const wish = { maxMicrousd: heldMicrousd, minMicrousd: heldMicrousd };
const models = Number(values.models);
const endUsers = Number(values["end-users"]);
let made = 0;
const makeTurn = (): UsageRecord[] =>
  Array.from({ length: perTurn }, () => {
    made += 1;
    return exampleRecord({
      id: newRequestId(Date.now()),
      responseId: `chatcmpl-${randomText()}${randomText()}`,
      model: `model-${made % models}`,
      ...(endUsers > 0 && { attribution: { tags: null, endUser: `user-${made % endUsers}`, session: null } }),
      ...(values.account === "free" && { billing: { ...billing, amountMicrousd: 0 } }),
      ...(isPrepaid && { accountId: "prepaid", heldMicrousd }),
    });
  });

/** Processor time for so many turns of records, in microseconds a record. */
async function run(count: number, handle: (turn: readonly UsageRecord[]) => Promise<unknown>): Promise<number> {
  const before = cpuMicros();
  for (let done = 0; done < count; done += perTurn) {
    await handle(makeTurn());
    if (pauseMs > 0) await Bun.sleep(pauseMs);
  }
  await recorder.flush();
  return (cpuMicros() - before) / count;
}

const commitHeld = async (record: UsageRecord): Promise<void> => {
  const held = holds.hold("prepaid", wish);
  const hold = held instanceof BalanceHold ? held : await held;
  if (!(hold instanceof BalanceHold)) throw new Error("The balance is used up.");
  await recorder.commit({ ...record, leaseId: hold.leaseId });
  hold.settle(record.billing.amountMicrousd);
};
const commit = async (turn: readonly UsageRecord[]): Promise<unknown> =>
  Promise.all(turn.map((record) => (isPrepaid ? commitHeld(record) : recorder.commit(record))));
await run(20_000, commit);
batchMs.length = 0;
const committing = await run(records, commit);
const closing = cpuMicros();
await recorder.close();
const rest = (cpuMicros() - closing) / records;
const making = await run(records, (turn) => Promise.resolve(turn));
await holds.stop();
await storage.close();

const ordered = batchMs.toSorted((a, b) => a - b);
const at = (share: number): string => percentile(ordered, share).toFixed(2);
console.log(`${values.account}: ${records} records, ${perTurn} a turn, ${pauseMs} ms between turns`);
console.log(
  `processor time a record: ${(committing + rest - making).toFixed(1)} us (making it took ${making.toFixed(1)} us more)`,
);
console.log(
  `event loop held by a batch (${ordered.length}): p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
);
rmSync(folder, { recursive: true, force: true });
