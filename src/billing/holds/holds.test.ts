import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { steadyClock, systemClock } from "../../clock.ts";
import { exampleRecord, insertRecords, nextRequestId } from "../../records/example-record.testkit.ts";
import type { UsageRecord } from "../../records/record.ts";
import { openStorage } from "../../storage/open-storage.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Finding } from "../audit.ts";
import { createHolds, type Holds, type HoldsOptions } from "./holds.ts";
import { BalanceHold } from "./lease.ts";
import { tester } from "../../changes/actor.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-holds-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let last = 0;
const log = { warn() {} };

/** A storage with one prepaid account, and a clock that moves on demand. */
async function setUp(balance: number) {
  const url = `sqlite:${join(folder, `${(last += 1)}.db`)}`;
  const storage = await openStorage(url);
  const clock = { time: 1_700_000_000_000, now: () => clock.time };
  const id = `team-${last}`;
  await storage.accounts.create(
    { id, name: "Team", mode: "prepaid", markupBasisPoints: 0, createdAt: clock.time },
    tester,
  );
  const post = async (amountMicrousd: number) =>
    storage.accounts.post({
      id: `ent_${nextRequestId()}`,
      accountId: id,
      kind: amountMicrousd < 0 ? "adjustment" : "credit",
      amountMicrousd,
      createdAt: clock.time,
      idempotencyKey: null,
      note: null,
      by: tester,
    });
  await post(balance);
  const open = (via: Storage = storage, change: Partial<HoldsOptions> = {}): Holds => {
    const quick = { heartbeatMs: 1_000_000, recallMs: 1_000_000, retryMs: 1, patienceMs: 0 };
    return createHolds({ store: via.leases, clock, steady: clock, log, recover: () => true, times: quick, ...change });
  };
  const balanceNow = async () => {
    const found = await storage.accounts.balance(id);
    if (found === null) throw new Error("The account is gone.");
    return found;
  };
  const findings = async () => {
    const found: Finding[] = [];
    await storage.auditor.audit((finding) => found.push(finding));
    return found;
  };
  return { url, storage, clock, id, post, open, balanceNow, findings };
}

const exactly = (amount: number) => ({ maxMicrousd: amount, minMicrousd: amount });

/** The record of a request that has held an amount and is charged another one. */
function recordOf(accountId: string, hold: BalanceHold, amountMicrousd: number): UsageRecord {
  const line = {
    dimension: "input",
    quantity: amountMicrousd,
    unit: "1M_tokens",
    unitSize: 1,
    unitMicrousd: 1,
  } as const;
  const lineItems = amountMicrousd === 0 ? [] : [{ ...line, amountMicrousd }];
  return exampleRecord({
    accountId,
    heldMicrousd: hold.amountMicrousd,
    leaseId: hold.leaseId,
    billing: { status: "charged", amountMicrousd, pricingVersion: 1, lineItems },
  });
}

async function held(holds: Holds, id: string, amount: number, min = amount): Promise<BalanceHold> {
  const hold = await holds.hold(id, { maxMicrousd: amount, minMicrousd: min });
  if (hold instanceof BalanceHold) return hold;
  throw new Error(`There is only ${hold.availableMicrousd}.`);
}

describe("holds", () => {
  test("come from a lease without asking the storage again, and are given back once", async () => {
    const { open, id, balanceNow } = await setUp(100_000);
    const holds = open();
    const first = await held(holds, id, 100);
    expect((await balanceNow()).leasedMicrousd).toBe(100 + 16 * 100);
    const second = holds.hold(id, exactly(200));
    expect(second).toBeInstanceOf(BalanceHold);
    expect(holds.heldMicrousd(id)).toBe(300);
    first.release();
    first.release();
    expect(holds.heldMicrousd(id)).toBe(200);
    if (second instanceof BalanceHold) second.reduceTo(50);
    expect(holds.heldMicrousd(id)).toBe(50);
    await holds.stop();
    expect((await balanceNow()).leasedMicrousd).toBe(0);
  });

  test("of many at once exactly as many succeed as the balance covers", async () => {
    const { open, id } = await setUp(1_000);
    const holds = open();
    const results = await Promise.all(Array.from({ length: 200 }, async () => holds.hold(id, exactly(100))));
    expect(results.filter((each) => each instanceof BalanceHold)).toHaveLength(10);
    expect(results.filter((each) => !(each instanceof BalanceHold))[0]).toEqual({ availableMicrousd: 0 });
    await holds.stop();
  });

  test("a hold takes what there is if that is enough, and says what there is if not", async () => {
    const { open, id, post } = await setUp(70);
    const holds = open();
    expect((await held(holds, id, 100, 60)).amountMicrousd).toBe(70);
    expect(await holds.hold(id, { maxMicrousd: 10, minMicrousd: 5 })).toEqual({ availableMicrousd: 0 });
    await post(4);
    expect(await holds.hold(id, { maxMicrousd: 10, minMicrousd: 5 })).toEqual({ availableMicrousd: 4 });
    expect((await held(holds, id, 4)).amountMicrousd).toBe(4);
    await holds.stop();
  });

  test("what one process has idle is given back to another that needs it", async () => {
    const { open, id, url } = await setUp(1_000);
    const other = await openStorage(url);
    const times = { heartbeatMs: 1_000_000, recallMs: 2, retryMs: 2, patienceMs: 5_000 };
    const real = { times, clock: systemClock, steady: steadyClock };
    const [one, two] = [open(undefined, real), open(other, real)];
    const first = await held(one, id, 40);
    expect(one.heldMicrousd(id)).toBe(40);
    const rest = await held(two, id, 960);
    expect(rest.amountMicrousd).toBe(960);
    first.release();
    expect((await held(two, id, 40)).amountMicrousd).toBe(40);
    await Promise.all([one.stop(), two.stop()]);
    await other.close();
  });

  test("no request is admitted on a lease that may have expired", async () => {
    const { open, id, clock, balanceNow } = await setUp(1_000_000);
    const holds = open();
    (await held(holds, id, 100)).release();
    clock.time += 20_000;
    const hold = holds.hold(id, exactly(100));
    expect(hold).toBeInstanceOf(Promise);
    await hold;
    // The first lease is still there: it ends when it was quiet at two heartbeats.
    expect((await balanceNow()).leasedMicrousd).toBe(2 * 1_700);
    await holds.heartbeat();
    await holds.heartbeat();
    expect((await balanceNow()).leasedMicrousd).toBe(1_700);
    await holds.stop();
  });

  test("an idle lease is given back, one in use is kept", async () => {
    const { open, id, clock, balanceNow } = await setUp(1_000_000);
    const holds = open();
    const hold = await held(holds, id, 100);
    for (let beats = 0; beats < 5; beats += 1) {
      clock.time += 10_000;
      await holds.heartbeat();
    }
    expect(await balanceNow()).toMatchObject({ leasedMicrousd: 1_700, heldMicrousd: 100 });
    expect(holds.hold(id, exactly(100))).toBeInstanceOf(BalanceHold);
    hold.release();
    const { leasedMicrousd } = await balanceNow();
    expect(leasedMicrousd).toBe(1_700);
    await holds.stop();
    const idle = open();
    (await held(idle, id, 100)).release();
    for (let beats = 0; beats < 4; beats += 1) {
      clock.time += 10_000;
      await idle.heartbeat();
    }
    expect((await balanceNow()).leasedMicrousd).toBe(0);
    await idle.stop();
  });

  test("the lease of a dead process is ended within 60 s, after what it left was taken over", async () => {
    const { open, id, clock, balanceNow } = await setUp(1_000);
    const dead = open();
    await held(dead, id, 600);
    let recovered = false;
    const alive = open(undefined, { recover: () => recovered });
    const died = clock.time;
    const beat = async () => {
      clock.time += 10_000;
      await alive.heartbeat();
    };
    for (let beats = 0; beats < 7; beats += 1) await beat();
    expect((await balanceNow()).leasedMicrousd).toBeGreaterThanOrEqual(600);
    recovered = true;
    await beat();
    expect((await balanceNow()).leasedMicrousd).toBe(0);
    expect((await held(alive, id, 1_000)).amountMicrousd).toBe(1_000);
    await alive.stop();

    const next = open();
    await held(next, id, 600);
    const heir = open();
    const from = clock.time;
    while ((await balanceNow()).leasedMicrousd > 0) {
      clock.time += 10_000;
      await heir.heartbeat();
    }
    expect(clock.time - from).toBeLessThanOrEqual(60_000);
    expect(died).toBeLessThan(from);
    await heir.stop();
  });

  test("a storage that fails rejects who waits, and what it may have granted is not used", async () => {
    const { open, id, storage, balanceNow } = await setUp(100_000);
    let fails = true;
    const flaky = {
      ...storage.leases,
      async take(request: Parameters<typeof storage.leases.take>[0]) {
        const granted = await storage.leases.take(request);
        if (fails) throw new Error("No answer.");
        return granted;
      },
    };
    const holds = open(undefined, { store: flaky });
    expect(await held(holds, id, 100).catch(String)).toBe("Error: No answer.");
    fails = false;
    expect((await held(holds, id, 100)).amountMicrousd).toBe(100);
    const { leasedMicrousd } = await balanceNow();
    await holds.heartbeat();
    await holds.heartbeat();
    expect((await balanceNow()).leasedMicrousd).toBeLessThan(leasedMicrousd);
    await holds.stop();
    expect((await balanceNow()).leasedMicrousd).toBe(0);
  });

  test("after any sequence of holds, settles, crashes and expiries the book adds up and is never below zero", async () => {
    const amount = fc.integer({ min: 0, max: 150 });
    const worker = fc.nat(1);
    const event = fc.oneof(
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("credit" as const), amount }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("debit" as const), amount }) },
      { weight: 8, arbitrary: fc.record({ kind: fc.constant("hold" as const), amount, min: amount, worker }) },
      { weight: 6, arbitrary: fc.record({ kind: fc.constant("settle" as const), share: fc.nat(100), at: fc.nat(9) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("release" as const), at: fc.nat(9) }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant("replay" as const), at: fc.nat(30) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("transfer" as const), worker }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("crash" as const), worker }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("time" as const), seconds: fc.nat(15), worker }) },
    );
    let refused = 0;
    let settled = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(event, { minLength: 10, maxLength: 80, size: "max" }), async (events) => {
        const { open, id, clock, storage, post, balanceNow, findings } = await setUp(300);
        let credited = 300;
        let charged = 0;
        const newWorker = () => ({ holds: open(), journal: [] as UsageRecord[] });
        const workers = [newWorker(), newWorker()];
        const running: { hold: BalanceHold; worker: number }[] = [];
        const stored: UsageRecord[] = [];
        const store = async (records: readonly UsageRecord[]) => {
          await insertRecords(storage.records, records);
          stored.push(...records);
        };
        const transfer = async (at: number) => store(workers[at]?.journal.splice(0) ?? []);
        for (const each of events) {
          if (each.kind === "credit" || each.kind === "debit") {
            const signed = each.kind === "credit" ? each.amount : -each.amount;
            if ((await post(signed)).kind === "made") credited += signed;
          } else if (each.kind === "hold") {
            const wish = { maxMicrousd: Math.max(each.amount, each.min), minMicrousd: Math.min(each.amount, each.min) };
            const hold = await workers[each.worker]?.holds.hold(id, wish);
            if (hold instanceof BalanceHold) running.push({ hold, worker: each.worker });
            else refused += 1;
          } else if (each.kind === "settle" || each.kind === "release") {
            const [ending] = running.splice(each.at % Math.max(1, running.length), 1);
            if (ending === undefined) continue;
            const { hold } = ending;
            const spent = each.kind === "settle" ? Math.floor((hold.amountMicrousd * each.share) / 100) : 0;
            // Journalled first, then counted; it goes to the storage later.
            workers[ending.worker]?.journal.push(recordOf(id, hold, spent));
            hold.settle(spent);
            charged += spent;
            settled += 1;
          } else if (each.kind === "replay") {
            const record = stored[each.at % Math.max(1, stored.length)];
            if (record !== undefined) await insertRecords(storage.records, [record]);
          } else if (each.kind === "transfer") await transfer(each.worker);
          else if (each.kind === "crash") {
            // The journal is taken over before the lease ends; what ran is gone.
            const { journal } = workers[each.worker] ?? newWorker();
            workers[each.worker] = newWorker();
            workers[each.worker]?.journal.push(...journal);
            for (let at = running.length - 1; at >= 0; at -= 1) {
              if (running[at]?.worker === each.worker) running.splice(at, 1);
            }
          } else {
            clock.time += each.seconds * 1_000;
            // As a living process does, both beat and bring their journals over well within a lease.
            await transfer(0);
            await transfer(1);
            for (const { holds } of workers) await holds.heartbeat();
          }
          const balance = await balanceNow();
          const onTheWay = workers
            .flatMap(({ journal }) => journal)
            .reduce((sum, { billing }) => sum + billing.amountMicrousd, 0);
          const inMemory = running.reduce((sum, { hold }) => sum + hold.amountMicrousd, 0);
          expect(balance.balanceMicrousd).toBe(credited - charged + onTheWay);
          expect(balance.balanceMicrousd).toBeGreaterThanOrEqual(balance.leasedMicrousd);
          expect(balance.leasedMicrousd).toBeGreaterThanOrEqual(onTheWay + inMemory);
        }
        await transfer(0);
        await transfer(1);
        for (const { hold } of running) hold.release();
        for (const { holds } of workers) await holds.stop();
        clock.time += 60_000;
        const sweeper = open();
        await sweeper.heartbeat();
        await sweeper.heartbeat();
        await sweeper.stop();
        expect(await balanceNow()).toEqual({
          balanceMicrousd: credited - charged,
          heldMicrousd: 0,
          durablyHeldMicrousd: 0,
          leasedMicrousd: 0,
        });
        expect(await findings()).toEqual([]);
        await storage.close();
      }),
      { numRuns: 60 },
    );
    expect(refused).toBeGreaterThan(10);
    expect(settled).toBeGreaterThan(50);
  }, 120_000);
});
