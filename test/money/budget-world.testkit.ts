import { expect } from "bun:test";
import { tagsToText } from "../../src/attribution/attribution.ts";
import { type Budget, isSameBudget } from "../../src/billing/budgets/budget.ts";
import { type BudgetHold, type Budgets, createBudgets } from "../../src/billing/budgets/budgets.ts";
import { setBudget } from "../../src/billing/budgets/set-budget.ts";
import { tester } from "../../src/changes/actor.testkit.ts";
import { newRequestId } from "../../src/identifiers.ts";
import { budgetsOf } from "../../src/pipeline/balance/hold-budgets.ts";
import { exampleRecord, insertRecords } from "../../src/records/example-record.testkit.ts";
import type { RecordStatus, UsageRecord } from "../../src/records/record.ts";
import { simulatedClock } from "../../src/routing/choice/candidate.testkit.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/storage.ts";
import type { BudgetedRequest, BudgetEvent } from "./budget-events.testkit.ts";
import { type ExpectedEvent, type ExpectedHold, expectedCounters, expectedEvents } from "./budget-oracle.testkit.ts";

/** Two gateways on one storage, as far as budgets are concerned. */

export interface BudgetBook {
  readonly url: string;
  rows(statement: string): Promise<object[]>;
}

/** A process: what it knows of budgets, what it runs, and its journal. */
interface Gateway {
  readonly storage: Storage;
  readonly budgets: Budgets;
  running: Running[];
  journal: { readonly record: UsageRecord; travels: number }[];
}

interface Running {
  readonly record: UsageRecord;
  readonly request: BudgetedRequest;
  readonly hold: BudgetHold | null;
  runs: number;
}

let worlds = 0;

/** Plays events, and compares what the storage has with what it must have after each of them. */
export async function playBudgets(book: BudgetBook, events: readonly BudgetEvent[], offsetMs: number): Promise<void> {
  const world = `w${(worlds += 1)}`;
  const inWorld = (id: string) => `${world}-${id}`;
  const clock = simulatedClock(1_700_000_000_000 + offsetMs);
  const opened: Storage[] = [];
  const leftBehind: Gateway[] = [];
  const open = async (): Promise<Gateway> => {
    const storage = await openStorage(book.url);
    opened.push(storage);
    const budgets = await createBudgets({
      store: storage.budgets,
      clock,
      log: { info() {}, warn: (details, message) => expect([details, message]).toEqual([]) },
      recover: () => leftBehind.every(({ journal }) => journal.length === 0),
      stored: () => Promise.resolve(),
      // Only the events of the test make it read.
      intervalMs: 1_000_000,
    });
    return { storage, budgets, running: [], journal: [] };
  };
  const gateways = [await open(), await open()];
  const gatewayOf = (index: number): Gateway => {
    const found = gateways[index];
    if (found === undefined) throw new Error("There is no such gateway.");
    return found;
  };
  const { accounts, budgets: store, records, auditor } = gatewayOf(0).storage;
  for (const id of ["a", "b"].map(inWorld)) {
    await accounts.create({ id, name: id, mode: "unlimited", markupBasisPoints: 0, createdAt: 1 }, tester);
  }

  const set = new Map<string, { readonly budget: Budget; readonly since: number }>();
  /** When requests began. */
  const begunAt: number[] = [];
  /** Final records in the storage. */
  const booked = new Map<string, UsageRecord>();
  const jobs: UsageRecord[] = [];
  let holds: ExpectedHold[] = [];
  /** `budget request` */
  const wereHeld = new Set<string>();
  const due: ExpectedEvent[] = [];
  /** Whether a process has looked at the budgets since the time has changed. */
  let isCurrent = true;

  async function refresh(): Promise<void> {
    for (const { budgets } of gateways) await budgets.refresh();
    isCurrent = true;
  }

  const countersOf = (budget: Budget, since: number, isKept?: (startsAt: number) => boolean) =>
    expectedCounters(budget, since, booked.values(), holds, wereHeld, isKept);

  async function compare(): Promise<void> {
    for (const { budget, since } of set.values()) {
      for (const { startsAt, subject, spent, held, unheld } of countersOf(budget, since)) {
        const found = await store.counter({ budgetId: budget.id, startsAt, subject });
        const counter = { spentMicrousd: found.spentMicrousd, heldMicrousd: found.heldMicrousd };
        // A period is counted from when a process looks at it; requests of later ones began before the clock went back.
        const mayBeMissing = !isCurrent || startsAt > clock.now();
        if (mayBeMissing && counter.spentMicrousd === 0) counter.spentMicrousd = spent;
        expect({ budget, startsAt, subject, ...counter }).toEqual({
          budget,
          startsAt,
          subject,
          spentMicrousd: spent,
          heldMicrousd: held,
        });
        if (budget.kind === "hard") expect(spent + held - unheld).toBeLessThanOrEqual(budget.amountMicrousd);
      }
    }
  }

  async function keep(all: readonly UsageRecord[]): Promise<void> {
    await insertRecords(records, all);
    for (const record of all) {
      if (record.status === "pending") continue;
      if (!booked.has(record.id)) booked.set(record.id, record);
      // An entry of the ledger ends the holds; what neither holds nor costs anything has none.
      holds = holds.filter((hold) => hold.record.id !== record.id);
    }
  }

  async function begin(wanted: BudgetedRequest): Promise<void> {
    const gateway = gatewayOf(wanted.gateway);
    const keyId = inWorld(wanted.key);
    const accountId = inWorld(wanted.key.slice(0, 1));
    const attribution = { tags: tagsToText(wanted.tags), endUser: wanted.endUser, session: wanted.session };
    const billing = { ...exampleRecord().billing, amountMicrousd: 0, lineItems: [] };
    const id = newRequestId(clock.now());
    const plain = exampleRecord({
      id,
      keyId,
      accountId,
      attribution,
      createdAt: clock.now(),
      model: wanted.model,
      billing,
    });
    const facts = { accountId, keyId, model: wanted.model, servedBy: wanted.servedBy, ...attribution };
    const startedAt = plain.createdAt;
    const { hard, hardOfModels } = budgetsOf(gateway.budgets, gateway.budgets.ofKey(facts), facts, startedAt);
    const ofModels = hardOfModels.map((budget) => ({ budget, amountMicrousd: wanted.bound }));
    const asked = { requestId: id, startedAt, budgets: hard, ofModels, facts, amountMicrousd: wanted.bound };
    const hold = hard.length + ofModels.length === 0 ? null : await gateway.budgets.hold(asked);
    if (hold !== null && "budget" in hold) return;
    const uncovered = hold?.uncovered.map(({ budget }) => budget) ?? [];
    const able = wanted.servedBy.filter((model) => uncovered.every((budget) => budget.model !== model));
    const resolvedModel = able[wanted.served % able.length];
    if (resolvedModel === undefined) {
      await hold?.end();
      return;
    }
    const record = {
      ...plain,
      heldMicrousd: hold === null ? 0 : wanted.bound,
      routing: { ...plain.routing, resolvedModel },
    };
    for (const { id: budgetId } of [...hard, ...hardOfModels].filter((budget) => !uncovered.includes(budget))) {
      wereHeld.add(`${budgetId} ${id}`);
      if (wanted.bound > 0) holds.push({ budgetId, record, servedBy: wanted.servedBy, amount: wanted.bound });
    }
    begunAt.push(record.createdAt);
    gateway.running.push({ record, request: wanted, hold, runs: wanted.runs });
  }

  /** The record of a request that ends so. */
  function ended(record: UsageRecord, status: RecordStatus, amountMicrousd: number): UsageRecord {
    if (status === "pending") return { ...record, status, billing: { ...record.billing, status } };
    const amount = status === "failed" ? 0 : amountMicrousd;
    if (amount === 0) return { ...record, status, billing: { ...record.billing, status: "refunded" } };
    const line = { dimension: "input", quantity: amount, unit: "1M_tokens", unitSize: 1, unitMicrousd: 1 } as const;
    const billing = { ...record.billing, status: "charged", amountMicrousd: amount } as const;
    return { ...record, status, billing: { ...billing, lineItems: [{ ...line, amountMicrousd: amount }] } };
  }

  async function end(gateway: Gateway, { record, request: { ending, bound, share, travels }, hold }: Running) {
    const final = ended(record, ending, Math.floor((bound * share) / 100));
    if (ending === "pending") {
      await keep([final]);
      await hold?.keep();
      jobs.push(final);
      return;
    }
    const { amountMicrousd } = final.billing;
    if (travels === 0) await keep([final]);
    else gateway.journal.push({ record: final, travels });
    await hold?.settle(amountMicrousd);
    for (const each of holds) if (each.record.id === final.id) each.amount = Math.min(each.amount, amountMicrousd);
  }

  async function endJob([job]: readonly UsageRecord[], share: number): Promise<void> {
    if (job) await keep([ended(job, "succeeded", Math.floor((job.heldMicrousd * share) / 100))]);
  }

  /** What runs and travels comes closer to its end. */
  async function proceed(): Promise<void> {
    for (const gateway of gateways) {
      const arriving = gateway.journal.filter((each) => (each.travels -= 1) < 0);
      gateway.journal = gateway.journal.filter(({ travels }) => travels >= 0);
      await keep(arriving.map(({ record }) => record));
      const ending = gateway.running.filter((each) => (each.runs -= 1) < 0);
      gateway.running = gateway.running.filter(({ runs }) => runs >= 0);
      for (const each of ending) await end(gateway, each);
    }
  }

  /** Its process is gone: others take its journal over, and its holds end. */
  async function crash(index: number): Promise<void> {
    const dead = gatewayOf(index);
    await dead.budgets.stop();
    leftBehind.push(dead);
    const survivor = gatewayOf(1 - index);
    for (let beats = 0; beats < 3; beats += 1) {
      clock.advance(20_000);
      await survivor.budgets.heartbeat();
    }
    // Nothing ends before the journal was taken over.
    if (dead.journal.length > 0) await compare();
    await keep(dead.journal.splice(0).map(({ record }) => record));
    for (let beats = 0; beats < 2; beats += 1) await survivor.budgets.heartbeat();
    holds = holds.filter(({ record }) => !dead.running.some((each) => each.record.id === record.id));
    gateways[index] = await open();
  }

  async function remove(id: string): Promise<void> {
    if (!set.has(id)) return;
    await forget(id);
    expect(await store.remove(id, tester)).toBe(true);
  }

  /** What a budget that is about to go has led to. */
  async function forget(id: string): Promise<void> {
    const found = set.get(id);
    if (found === undefined) return;
    await refresh();
    const kept = await keptPeriods(book, id);
    for (const counter of countersOf(found.budget, found.since, (startsAt) => kept.has(startsAt))) {
      const { startsAt, subject } = counter;
      const isCounted = (await store.counter({ budgetId: id, startsAt, subject })).spentMicrousd === counter.spent;
      if (isCounted || startsAt <= clock.now()) due.push(...expectedEvents(found.budget, [counter]));
    }
    set.delete(id);
    holds = holds.filter(({ budgetId }) => budgetId !== id);
  }

  async function play(event: BudgetEvent): Promise<void> {
    if (event.kind === "set") {
      const { owner: whose, ...rest } = event.wish;
      const accountId = whose.accountId && inWorld(whose.accountId);
      const each = rest.per === "session" ? "session" : rest.each;
      const wanted = { ...rest, each, accountId, keyId: whose.keyId && inWorld(whose.keyId) };
      const same = [...set.values()].find(({ budget }) => isSameBudget({ ...budget, ...wanted }, budget));
      if (same) await forget(same.budget.id);
      const { replaced, ...budget } = await setBudget(store, wanted, clock.now(), tester);
      expect(replaced).toBe(same?.budget.id ?? null);
      set.set(budget.id, { budget, since: clock.now() });
    } else if (event.kind === "remove") await remove([...set.keys()][event.index] ?? "");
    else if (event.kind === "requests") await Promise.all(event.requests.map(begin));
    else if (event.kind === "end of a job") await endJob(jobs.splice(event.job, 1), event.share);
    else if (event.kind === "time") {
      const until = clock.now() + event.seconds * 1_000;
      // They read each half second: in no period that requests began in did nobody look, be it that they began in it before
      // the clock was set back.
      if (!isCurrent) await refresh();
      for (const instant of begunAt.toSorted((one, other) => one - other)) {
        if (instant <= clock.now() || instant >= until) continue;
        clock.advance(instant - clock.now());
        await refresh();
      }
      clock.advance(until - clock.now());
      isCurrent = false;
      for (const { budgets } of [...gateways, ...gateways]) await budgets.heartbeat();
    } else if (event.kind === "replay") {
      const record = [...booked.values()][event.record];
      if (record) await keep([record, record]);
    } else await crash(event.gateway);
    if ("isKnown" in event && event.isKnown) await refresh();
  }

  try {
    for (const event of events) {
      await play(event);
      await compare();
      await proceed();
      await compare();
    }
    while (gateways.some(({ running, journal }) => running.length + journal.length > 0)) await proceed();
    while (jobs.length > 0) await endJob(jobs.splice(0, 1), 50);
    await refresh();
    expect(holds).toEqual([]);
    await compare();
    const found: unknown[] = [];
    await auditor.audit((finding) => found.push(finding));
    expect(found).toEqual([]);
    const ids = [...set.keys()];
    for (const id of ids) await remove(id);
    expect(await writtenEvents(book)).toEqual(due.map((each) => JSON.stringify(each)).toSorted());
  } finally {
    for (const { budgets } of gateways) await budgets.stop();
    for (const id of set.keys()) await store.remove(id, tester);
    await writtenEvents(book);
    for (const storage of opened) await storage.close();
  }
}

/** The beginnings of the periods that a budget has counters for. */
async function keptPeriods(book: BudgetBook, budgetId: string): Promise<ReadonlySet<number>> {
  const rows = await book.rows(`select starts_at from budget_periods where budget_id = '${budgetId}'`);
  return new Set(rows.map((row) => Number((row as { starts_at: number | string }).starts_at)));
}

const seen = new Set<string>();

/** The events that were written since this was called last, as `ExpectedEvent`. */
async function writtenEvents(book: BudgetBook): Promise<string[]> {
  const events: string[] = [];
  for (const row of await book.rows("select id, payload from outbox")) {
    const { id, payload } = row as { id: string; payload: string };
    if (seen.has(id)) continue;
    seen.add(id);
    const { budget, subject, starts_at: startsAt, percent } = JSON.parse(payload) as Record<string, unknown>;
    events.push(JSON.stringify({ budget, subject, startsAt, percent }));
  }
  return events.toSorted();
}
