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
import { median, percentile } from "./results/statistics.ts";

/**
 * The cost of a usage record on SQLite, from `commit` to its row: processor time in all threads, and how long the event
 * loop is held by what is done for a turn and by what is done for a batch.
 *
 *   node_modules/bun/bin/bun.exe bench/records-cost.ts [--records 300000] [--turn 100] [--pause-ms 4]
 *     [--account free,unlimited,prepaid] [--rounds 1] [--models 1] [--end-users 0]
 *     [--latencies 1]
 *
 * `free` makes records that cost nothing and so have no entries in the ledger; `prepaid` holds each amount first. Several
 * kinds of account take turns in each round: what the others cost more than the first one is what holds and ledger add.
 * Models and end users take turns: each has sums of its own. Latencies take turns too, from 200 ms up to a minute.
 */
const { values } = parseArgs({
  options: {
    /** Of each kind of account, in all rounds. */
    records: { type: "string", default: "300000" },
    /** Records that are committed in one turn of the event loop. */
    turn: { type: "string", default: "100" },
    /** Between two turns; 0 runs them one after another. */
    "pause-ms": { type: "string", default: "4" },
    account: { type: "string", default: "unlimited" },
    rounds: { type: "string", default: "1" },
    models: { type: "string", default: "1" },
    /** 0 makes records without an end user. */
    "end-users": { type: "string", default: "0" },
    latencies: { type: "string", default: "1" },
  },
});
const perTurn = Number(values.turn);
const pauseMs = Number(values["pause-ms"]);
const rounds = Number(values.rounds);
const perRound = Math.ceil(Number(values.records) / rounds);
const kinds = values.account.split(",");

const log = { info() {}, warn() {}, error() {} };
const folder = mkdtempSync(join(tmpdir(), "tollgate-records-cost-"));
const storage = await openStorage(`sqlite:${join(folder, "tollgate.db")}`);
const batchMs: number[] = [];
const progress = { stored: 0 };
const store: RecordStore = {
  ...storage.records,
  insertAll(batch) {
    const before = performance.now();
    const result = storage.records.insertAll(batch);
    batchMs.push(performance.now() - before);
    progress.stored += batch.length;
    return result;
  },
};
const journal = openJournal({ folder: join(folder, "journal"), log });
const recorder = createRecorder({ store, journal, clock: systemClock, log });
const holds = createHolds({
  store: storage.leases,
  clock: systemClock,
  steady: steadyClock,
  log,
  recover: () => recorder.adoptLeft(),
});
const by = { kind: "gateway" } as const;
await storage.accounts.create({ id: "prepaid", name: "", mode: "prepaid", markupBasisPoints: 0, createdAt: 0 }, by);
const credit = { kind: "credit", idempotencyKey: null, note: null, amountMicrousd: 1_000_000_000_000_000 } as const;
await storage.accounts.post({ ...credit, id: "ent_1", accountId: "prepaid", createdAt: 0, by });

const cpuMicros = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};
const randomText = (): string => Math.random().toString(36).slice(2, 13);
const { billing } = exampleRecord();
const heldMicrousd = 1_000;
const wish = { maxMicrousd: heldMicrousd, minMicrousd: heldMicrousd };
const models = Number(values.models);
const endUsers = Number(values["end-users"]);
const latencies = Number(values.latencies);
const { routing } = exampleRecord();
/** Spread evenly over doublings. */
const latencyOf = (place: number) => Math.round(200 * 300 ** ((place % latencies) / latencies));
let made = 0;
const makeTurn = (kind: string): UsageRecord[] =>
  Array.from({ length: perTurn }, () => {
    made += 1;
    return exampleRecord({
      id: newRequestId(Date.now()),
      createdAt: Date.now(),
      responseId: `chatcmpl-${randomText()}${randomText()}`,
      model: `model-${made % models}`,
      routing: { ...routing, latencyMs: latencyOf(made), timeToFirstByteMs: Math.round(latencyOf(made) / 3) },
      ...(endUsers > 0 && { attribution: { tags: null, endUser: `user-${made % endUsers}`, session: null } }),
      ...(kind === "free" && { billing: { ...billing, amountMicrousd: 0 } }),
      ...(kind === "prepaid" && { accountId: "prepaid", heldMicrousd }),
    });
  });

/** Processor time for so many records, in microseconds a record, until the store has `storedThen`. */
async function run(
  kind: string,
  count: number,
  commit: (record: UsageRecord) => unknown,
  storedThen = progress.stored,
) {
  const before = cpuMicros();
  for (let done = 0; done < count; done += perTurn) {
    await Promise.all(makeTurn(kind).map(commit));
    if (pauseMs > 0) await Bun.sleep(pauseMs);
  }
  while (progress.stored < storedThen) await Bun.sleep(1);
  await storage.records.busy();
  return (cpuMicros() - before) / count;
}

const commitHeld = async (record: UsageRecord): Promise<void> => {
  const held = holds.hold("prepaid", wish);
  const hold = held instanceof BalanceHold ? held : await held;
  if (!(hold instanceof BalanceHold)) throw new Error("The balance is used up.");
  await recorder.commit({ ...record, leaseId: hold.leaseId });
  hold.settle(record.billing.amountMicrousd);
};
const commitOne = (record: UsageRecord): Promise<void> => recorder.commit(record);
const committing = (kind: string) => (kind === "prepaid" ? commitHeld : commitOne);

/** The same until they are in the store. */
const runAndStore = (kind: string, count: number) => run(kind, count, committing(kind), progress.stored + count);

for (const kind of kinds) await runAndStore(kind, 20_000);
batchMs.length = 0;
const costs = new Map(kinds.map((kind) => [kind, [] as number[]]));
const making: number[] = [];
for (let round = 0; round < rounds; round += 1) {
  for (const [kind, each] of costs) each.push(await runAndStore(kind, perRound));
  making.push(await run("unlimited", perRound, () => undefined));
}
await recorder.close();
await holds.stop();
await storage.close();

/** Other work on the machine only ever adds: a low figure that rounds often come near is what it costs. */
const usual = (figures: readonly number[]): number =>
  percentile(
    figures.toSorted((a, b) => a - b),
    0.1,
  );
const madeIn = usual(making);
const [first = []] = costs.values();
console.log(
  `${rounds} rounds of ${perRound} records of each kind, ${perTurn} a turn, ${pauseMs} ms between turns; the tenth part of the rounds took less`,
);
console.log(`making a record: ${madeIn.toFixed(1)} us, not counted below`);
for (const [kind, each] of costs) {
  const more = usual(each) - usual(first);
  const added = each === first ? "" : `, ${more.toFixed(1)} us more than '${kinds[0]}'`;
  console.log(
    `${kind}: processor time a record ${(usual(each) - madeIn).toFixed(1)} us (median ${(median(each) - madeIn).toFixed(1)})${added}`,
  );
}
const ordered = batchMs.toSorted((a, b) => a - b);
const at = (share: number): string => percentile(ordered, share).toFixed(2);
console.log(
  `event loop held by a batch (${ordered.length}): p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`,
);
rmSync(folder, { recursive: true, force: true });
