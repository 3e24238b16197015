import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import { type Budget, type BudgetFacts, concernsKey, subjectOf } from "./budget.ts";
import { type Period, periodAt } from "./budget-period.ts";
import type { BudgetStore, Counter, CounterKey } from "./budget-store.ts";
import { periodsFrom } from "./set-budget.ts";

/** The budgets of a running gateway. */
export interface Budgets {
  /** The budgets that can concern requests of a key, as this process knows them. The same array until they change. */
  ofKey(key: Pick<BudgetFacts, "accountId" | "keyId">): readonly Budget[];
  /** Whether a soft budget was spent when the counters were read last, at most half a second ago. */
  isSpent(budget: Budget, subject: string, startedAt: number): boolean;
  /**
   * Holds of each of the hard budgets that concern a request; nothing if one does not cover it that has to. Rejects if the
   * storage fails.
   */
  hold(request: BudgetRequest): Promise<BudgetHold | ExceededBudget>;
  /** The counters of a key's budgets now. */
  counters(key: Pick<BudgetFacts, "accountId" | "keyId">): Promise<readonly BudgetState[]>;
  /** Ends all that a request holds. Never rejects: what could not be ended expires. */
  end(requestId: string): Promise<void>;
  /** Reads the storage now. Never rejects. */
  refresh(): Promise<void>;
  /** Renews what this process holds, and ends what dead ones held. Done by itself every ten seconds. Never rejects. */
  heartbeat(): Promise<void>;
  stop(): Promise<void>;
}

export interface BudgetRequest {
  readonly requestId: string;
  /** When the request began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly facts: BudgetFacts;
  /** Those that have to cover the request. */
  readonly budgets: readonly Budget[];
  /** What the request can cost at most, in whole micro-USD. */
  readonly amountMicrousd: number;
  /** Those of single models that may serve it. */
  readonly ofModels: readonly ModelBudget[];
}

/** A budget of one model that may serve a request, with what the request can cost there at most. */
export interface ModelBudget {
  readonly budget: Budget;
  readonly amountMicrousd: number;
}

/** The budget that does not cover a request. */
export interface ExceededBudget {
  readonly budget: Budget;
  readonly period: Period;
  readonly leftMicrousd: number;
}

export interface BudgetState {
  readonly budget: Budget;
  readonly period: Period;
  /** Null if the budget is set for each of something, and not for each key. */
  readonly counter: Counter | null;
}

/** What one request holds of budgets. None of its methods rejects: what could not be written expires. */
export interface BudgetHold {
  /** The budgets of models that do not cover it. */
  readonly uncovered: readonly ExceededBudget[];
  /** Lowers it to the charge of the request, until the record has arrived in the storage. */
  settle(amountMicrousd: number): Promise<void>;
  /** Lets it last until the job has ended. */
  keep(): Promise<void>;
  end(): Promise<void>;
}

export interface BudgetsOptions {
  readonly store: BudgetStore;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /**
   * Takes over what dead processes have left in the journal's folder. True if all of it is in the storage by now, so that
   * their holds can be ended.
   */
  readonly recover: () => boolean;
  /** Brings what this process has recorded to the storage. May reject. */
  readonly stored: () => Promise<void>;
  readonly intervalMs?: number;
}

/** How long a hold lasts if its process is dead, and how often living ones renew theirs, in milliseconds. */
const holdMs = 30_000;
const renewMs = 10_000;
/** How often periods are written. */
const rewriteMs = 3_600_000;
const none: readonly Budget[] = [];
/** Keys whose budgets are known. */
const maxKeys = 10_000;

const periodId = ({ budgetId, startsAt }: Pick<CounterKey, "budgetId" | "startsAt">) => `${budgetId} ${startsAt}`;
const counterId = ({ budgetId, startsAt, subject }: CounterKey) => `${budgetId} ${startsAt} ${subject}`;

/** Follows the budgets in the storage, and holds of them. Resolves after the first read. */
export async function createBudgets({
  store,
  clock,
  log,
  recover,
  stored,
  intervalMs = 500,
}: BudgetsOptions): Promise<Budgets> {
  const process = Bun.randomUUIDv7();
  let version = -1;
  let budgets: readonly Budget[] = none;
  let byKey = new Map<string, readonly Budget[]>();
  let spent: ReadonlySet<string> = new Set();
  let isDown = false;
  let isReading = false;
  let round: Promise<void> = Promise.resolve();
  /** When there were expired holds at the last round; null if there were none. */
  let expiredAt: number | null = null;
  /** When the current and next periods were written last. */
  let periodsWrittenAt = Number.NEGATIVE_INFINITY;
  /** Which: budget and start. */
  let written: ReadonlySet<string> = new Set();
  const periods = new Map<string, Period>();

  function periodOf(budget: Budget, instant: number): Period {
    const known = periods.get(budget.id);
    if (known && instant >= known.startsAt && instant < known.endsAt) return known;
    const period = periodAt(budget, instant);
    periods.set(budget.id, period);
    return period;
  }

  /** Writes the periods that are on and those after them, well before these begin. */
  async function addPeriods(now: number): Promise<void> {
    if (Math.abs(now - periodsWrittenAt) < rewriteMs) return;
    const rows = budgets.flatMap((budget) => {
      return periodsFrom(budget, now).map((period) => ({ budgetId: budget.id, ...period }));
    });
    await store.addPeriods(rows);
    periodsWrittenAt = now;
    written = new Set(rows.map(periodId));
  }

  async function read(): Promise<void> {
    isReading = true;
    try {
      const now = clock.now();
      const newest = await store.version();
      if (newest !== version) {
        const changed = await store.list();
        // Nothing was held for requests before: what they cost has to be counted before anything is held of a new budget.
        await stored().catch(() => undefined);
        budgets = changed;
        version = newest;
        byKey = new Map();
        periods.clear();
        periodsWrittenAt = Number.NEGATIVE_INFINITY;
      }
      if (budgets.length > 0) {
        await addPeriods(now);
        const limits = new Map(
          budgets.map(({ id, amountMicrousd, kind }) => [id, kind === "soft" ? amountMicrousd : Infinity]),
        );
        const counters = await store.counters(now);
        spent = new Set(
          counters
            .filter(({ budgetId, spentMicrousd }) => spentMicrousd >= (limits.get(budgetId) ?? Infinity))
            .map(counterId),
        );
      }
      if (isDown) log.info({}, "The budgets can be read again.");
      isDown = false;
    } catch (error) {
      if (!isDown) log.warn({ error: String(error) }, "The budgets cannot be read. The known ones stay in force.");
      isDown = true;
    } finally {
      isReading = false;
    }
  }

  function refresh(): Promise<void> {
    round = round.then(read);
    return round;
  }

  async function heartbeat(): Promise<void> {
    if (budgets.length === 0) return;
    await attempt(async () => {
      const now = clock.now();
      await store.renew(process, now + holdMs);
      await endExpired(now);
    });
  }

  /** Ends holds that were expired at the last round already: since then what their processes left could be taken over. */
  async function endExpired(now: number): Promise<void> {
    const hasExpired = await store.hasExpired(now);
    const isRecovered = hasExpired && recover();
    if (isRecovered && expiredAt !== null) await store.endExpired(expiredAt);
    expiredAt = hasExpired ? now : null;
  }

  async function attempt(change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      log.warn({ error: String(error) }, "holds of budgets could not be changed; they expire");
    }
  }

  /** Holds of one hard budget; returns what is left of it if that does not cover the amount. */
  async function holdOne(
    { requestId, startedAt, facts }: BudgetRequest,
    { budget, amountMicrousd }: ModelBudget,
  ): Promise<ExceededBudget | null> {
    const subject = budget.kind === "hard" ? subjectOf(budget, facts) : null;
    if (subject === null) return null;
    const period = periodOf(budget, startedAt);
    const { id: budgetId, amountMicrousd: limitMicrousd } = budget;
    const key = { budgetId, startsAt: period.startsAt, subject };
    // The first hold of a counter is not compared with the limit by the storage.
    const isTooLarge = limitMicrousd === 0 || amountMicrousd > limitMicrousd;
    if (amountMicrousd === 0 && !isTooLarge) return null;
    // The clock has jumped: without its row, the period would count nothing.
    const row = { budgetId, ...period };
    if (!written.has(periodId(row))) await store.addPeriods([row]);
    const expiresAt = clock.now() + holdMs;
    const counter = isTooLarge
      ? await store.counter(key)
      : await store.hold({ ...key, requestId, amountMicrousd, limitMicrousd, process, expiresAt });
    if (counter === null) return null;
    return { budget, period, leftMicrousd: limitMicrousd - counter.spentMicrousd - counter.heldMicrousd };
  }

  function holdOf(requestId: string, uncovered: readonly ExceededBudget[]): BudgetHold {
    let isOver = false;
    const once = async (change: () => Promise<void>) => {
      if (isOver) return;
      isOver = true;
      await attempt(change);
    };
    return {
      uncovered,
      settle: (amount) => once(() => (amount === 0 ? store.end(requestId) : store.reduce(requestId, amount))),
      keep: () => once(() => store.keep(requestId)),
      end: () => once(() => store.end(requestId)),
    };
  }

  const timers = [
    setInterval(() => {
      if (!isReading) void refresh();
    }, intervalMs),
    setInterval(() => void heartbeat(), renewMs),
  ];
  for (const timer of timers) timer.unref();
  await refresh();

  return {
    ofKey({ accountId, keyId }) {
      if (budgets.length === 0) return none;
      let found = byKey.get(keyId);
      if (found === undefined) {
        found = budgets.filter((budget) => concernsKey(budget, { accountId, keyId }));
        if (byKey.size >= maxKeys) byKey.clear();
        byKey.set(keyId, found.length === 0 ? none : found);
      }
      return found;
    },
    isSpent(budget, subject, startedAt) {
      return spent.has(counterId({ budgetId: budget.id, startsAt: periodOf(budget, startedAt).startsAt, subject }));
    },
    async hold(request) {
      const { requestId, budgets: required, amountMicrousd, ofModels } = request;
      const uncovered: ExceededBudget[] = [];
      const hold = holdOf(requestId, uncovered);
      for (const budget of required) {
        const exceeded = await holdOne(request, { budget, amountMicrousd });
        if (exceeded === null) continue;
        await hold.end();
        return exceeded;
      }
      for (const each of ofModels) {
        const exceeded = await holdOne(request, each);
        if (exceeded !== null) uncovered.push(exceeded);
      }
      return hold;
    },
    async counters(key) {
      const now = clock.now();
      return Promise.all(
        budgets
          .filter((budget) => concernsKey(budget, key))
          .map(async (budget): Promise<BudgetState> => {
            const period = periodOf(budget, now);
            const subject = budget.each === null ? "" : budget.each === "key" ? key.keyId : null;
            const { startsAt } = period;
            const counter = subject === null ? null : await store.counter({ budgetId: budget.id, startsAt, subject });
            return { budget, period, counter };
          }),
      );
    },
    end: (requestId) => (budgets.length === 0 ? Promise.resolve() : attempt(() => store.end(requestId))),
    refresh,
    heartbeat,
    async stop() {
      for (const timer of timers) clearInterval(timer);
      await round;
    },
  };
}
