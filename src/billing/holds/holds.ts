import type { Clock } from "../../clock.ts";
import { type BalanceHold, Lease } from "./lease.ts";
import { type Granted, idleOf, type LeaseStore } from "./lease-store.ts";

/** Holds for requests of prepaid accounts. They are taken in memory, from leases that are shared by all requests. */
export interface Holds {
  /**
   * Holds `maxMicrousd` of a prepaid balance; if that is not available, as much as there is from `minMicrousd` up. At once
   * if the lease covers it. Rejects if the storage is needed and fails.
   */
  hold(accountId: string, wish: HoldWish): BalanceHold | Promise<BalanceHold | Insufficient>;
  /** What the requests of this process hold of a balance. */
  heldMicrousd(accountId: string): number;
  /** This process's leases of an account. */
  leaseIds(accountId: string): string[];
  /** Renews leases, gives idle ones back, and ends those of dead processes. Called at an interval; never rejects. */
  heartbeat(): Promise<void>;
  /** Gives back what other processes wait for. Called at an interval; never rejects. */
  answerRecalls(): Promise<void>;
  /** Gives all leases back, to be called once no request runs and all records are in the storage. */
  stop(): Promise<void>;
}

export interface HoldWish {
  readonly maxMicrousd: number;
  readonly minMicrousd: number;
}

/** There is less than the minimum. */
export interface Insufficient {
  readonly availableMicrousd: number;
}

export interface HoldsOptions {
  readonly store: LeaseStore;
  /** The time of day, by which leases expire. */
  readonly clock: Clock;
  /** Time that never jumps. */
  readonly steady: Clock;
  readonly log: { warn(fields: Readonly<Record<string, unknown>>, message: string): void };
  /**
   * Takes over what dead processes have left in the journal's folder. True if all of it is in the storage by now, so that
   * their leases can be ended.
   */
  readonly recover: () => boolean;
  readonly times?: Partial<HoldTimes>;
}

/** Milliseconds. */
interface HoldTimes {
  readonly leaseMs: number;
  /** How long after a renewal requests are admitted on a lease. */
  readonly validMs: number;
  readonly heartbeatMs: number;
  readonly recallMs: number;
  readonly retryMs: number;
  /** How long a request waits for what others give back. */
  readonly patienceMs: number;
  readonly maxAgeMs: number;
}

const usualTimes: HoldTimes = {
  leaseMs: 30_000,
  validMs: 20_000,
  heartbeatMs: 10_000,
  recallMs: 200,
  retryMs: 100,
  patienceMs: 1_000,
  maxAgeMs: 300_000,
};

/** A lease is filled so that it lasts for so many requests at least. */
const minSpareHolds = 16;
const maxSpareMicrousd = 1_000_000_000_000;
/** A lease that has to be filled more often than this is filled with twice as much. */
const quickMs = 1_000;

interface Waiter extends HoldWish {
  readonly resolve: (hold: BalanceHold | Insufficient) => void;
  readonly reject: (error: unknown) => void;
  /** Milliseconds since 1970. */
  readonly arrivedAt: number;
  /** Of the steady clock. */
  readonly waitsUntil: number;
}

/** What this process has of one account. */
interface Wallet {
  readonly accountId: string;
  lease: Lease | null;
  waiting: Waiter[];
  isFilling: boolean;
  filledAt: number;
  /** What a lease is filled with beyond what is needed. */
  spareMicrousd: number;
}

export function createHolds(options: HoldsOptions): Holds {
  const { store, clock, steady, log } = options;
  const times = { ...usualTimes, ...options.times };
  const wallets = new Map<string, Wallet>();
  /** Leases on which no request is admitted any more, until their last hold is over. */
  const retired = new Set<Lease>();
  let seenExpired: ReadonlySet<string> = new Set();
  let isBeating = false;
  let isAnswering = false;

  function walletOf(accountId: string): Wallet {
    let wallet = wallets.get(accountId);
    if (wallet === undefined) {
      wallet = { accountId, lease: null, waiting: [], isFilling: false, filledAt: -Infinity, spareMicrousd: 0 };
      wallets.set(accountId, wallet);
    }
    return wallet;
  }

  function leasesOf(accountId: string): Lease[] {
    const current = wallets.get(accountId)?.lease ?? null;
    const old = [...retired].filter((lease) => lease.accountId === accountId);
    return current === null ? old : [current, ...old];
  }

  function retire(lease: Lease): void {
    const wallet = wallets.get(lease.accountId);
    if (wallet?.lease === lease) wallet.lease = null;
    retired.add(lease);
  }

  function validLease(wallet: Wallet): Lease | null {
    const { lease } = wallet;
    if (lease === null || steady.now() < lease.validUntil) return lease;
    retire(lease);
    return null;
  }

  function newLease(wallet: Wallet): Lease {
    const now = steady.now();
    wallet.lease = new Lease(Bun.randomUUIDv7(), wallet.accountId, now, now + times.validMs);
    return wallet.lease;
  }

  /** Asks for what waits and more, until nothing waits. */
  async function fill(wallet: Wallet): Promise<void> {
    wallet.isFilling = true;
    try {
      do {
        const asked = wallet.waiting.length;
        const lease = validLease(wallet) ?? newLease(wallet);
        const granted = await take(wallet, lease);
        serve(wallet, lease, granted, asked);
        if (wallet.waiting.length > 0 && wallet.waiting.length <= asked) await Bun.sleep(times.retryMs);
      } while (wallet.waiting.length > 0);
    } catch (error) {
      // What the storage has granted is not known: nothing more is taken from this lease.
      if (wallet.lease !== null) retire(wallet.lease);
      for (const { reject } of wallet.waiting.splice(0)) reject(error);
    } finally {
      wallet.isFilling = false;
    }
  }

  async function take(wallet: Wallet, lease: Lease): Promise<Granted> {
    const tick = steady.now();
    const now = clock.now();
    const wished = wallet.waiting.reduce((sum, { maxMicrousd }) => sum + maxMicrousd, 0);
    const largest = wallet.waiting.reduce((max, { maxMicrousd }) => Math.max(max, maxMicrousd), 0);
    const doubled = tick - wallet.filledAt < quickMs ? wallet.spareMicrousd * 2 : wallet.spareMicrousd / 2;
    wallet.spareMicrousd = Math.ceil(Math.min(maxSpareMicrousd, Math.max(doubled, largest * minSpareHolds)));
    wallet.filledAt = tick;
    const neededMicrousd = Math.max(0, wished - lease.freeMicrousd);
    const granted = (await store.take({
      leaseId: lease.id,
      accountId: wallet.accountId,
      neededMicrousd,
      wantedMicrousd: neededMicrousd + wallet.spareMicrousd,
      now,
      expiresAt: now + times.leaseMs,
      recallUntil: now + times.patienceMs,
    })) ?? { grantedMicrousd: 0, freeMicrousd: 0, elsewhere: [] };
    lease.freeMicrousd += granted.grantedMicrousd;
    lease.validUntil = tick + times.validMs;
    return granted;
  }

  /** Gives those who wait what the lease has. The first `asked` are refused if there is no more to come. */
  function serve(wallet: Wallet, lease: Lease, granted: Granted, asked: number): void {
    const now = steady.now();
    wallet.waiting = wallet.waiting.filter((waiter, index) => {
      if (lease.freeMicrousd >= waiter.maxMicrousd) {
        waiter.resolve(lease.hold(waiter.maxMicrousd));
        return false;
      }
      if (index >= asked) return true;
      const available = lease.freeMicrousd + Math.max(0, granted.freeMicrousd);
      // What was told before it came may no longer be so.
      const idle = idleOf(granted.elsewhere, waiter.arrivedAt);
      if (idle > 0 && available + idle >= waiter.minMicrousd && now < waiter.waitsUntil) return true;
      const isEnough = lease.freeMicrousd >= waiter.minMicrousd && lease.freeMicrousd > 0;
      waiter.resolve(isEnough ? lease.hold(lease.freeMicrousd) : { availableMicrousd: available });
      return false;
    });
  }

  async function renew(tick: number): Promise<void> {
    const active = [...wallets.values()].flatMap(({ lease }) => lease ?? []);
    const leases = [...active, ...retired];
    if (leases.length === 0) return;
    const states = leases.map(({ id, heldMicrousd }) => ({ id, heldMicrousd }));
    const now = clock.now();
    const renewed = new Set(await store.renew(states, { now, expiresAt: now + times.leaseMs }));
    for (const lease of leases) {
      if (renewed.has(lease.id)) lease.validUntil = Math.max(lease.validUntil, tick + times.validMs);
      // Expired and ended by another process, or nothing was ever granted on it.
      else if (lease.startedAt < tick) lose(lease);
    }
  }

  function lose(lease: Lease): void {
    retired.delete(lease);
    const wallet = wallets.get(lease.accountId);
    if (wallet?.lease === lease && !wallet.isFilling) wallet.lease = null;
  }

  function retireIdle(tick: number): void {
    for (const wallet of wallets.values()) {
      const { lease, isFilling } = wallet;
      if (isFilling) continue;
      if (lease === null) wallets.delete(wallet.accountId);
      else if ((!lease.isUsed && lease.heldMicrousd === 0) || tick - lease.startedAt > times.maxAgeMs) retire(lease);
      else lease.isUsed = false;
    }
  }

  /** Ends leases that held nothing at two heartbeats: their records are in the storage by now, if that takes any. */
  async function endRetired(): Promise<void> {
    const over = [...retired].filter(({ heldMicrousd, isQuiet }) => heldMicrousd === 0 && isQuiet);
    for (const lease of retired) lease.isQuiet = lease.heldMicrousd === 0;
    if (over.length === 0) return;
    await store.end(over.map(({ id }) => id));
    for (const lease of over) retired.delete(lease);
  }

  /** Ends leases that were expired at the last heartbeat already: since then their journals could be taken over. */
  async function endExpired(): Promise<void> {
    const expired = await store.expired(clock.now());
    const isRecovered = expired.length > 0 && options.recover();
    const due = isRecovered ? expired.filter((id) => seenExpired.has(id)) : [];
    if (due.length > 0) await store.endExpired(due, clock.now());
    seenExpired = new Set(expired);
  }

  async function heartbeat(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    try {
      const tick = steady.now();
      await renew(tick);
      await endRetired();
      retireIdle(tick);
      await endExpired();
    } catch (error) {
      log.warn({ error: String(error) }, "leases of prepaid balances could not be renewed; the next round tries again");
    } finally {
      isBeating = false;
    }
  }

  async function answerRecalls(): Promise<void> {
    if (isAnswering) return;
    const leases = [...wallets.values()].flatMap(({ lease }) => lease ?? []);
    if (leases.length === 0) return;
    isAnswering = true;
    try {
      const recalled = new Set(
        await store.recalled(
          leases.map(({ id }) => id),
          clock.now(),
        ),
      );
      for (const lease of leases) if (recalled.has(lease.id)) await giveBack(lease);
    } catch (error) {
      log.warn({ error: String(error) }, "what other processes wait for of a prepaid balance could not be given back");
    } finally {
      isAnswering = false;
    }
  }

  /** Who waits also wants to know what is held, so as not to wait for that. */
  async function giveBack(lease: Lease): Promise<void> {
    const { id, freeMicrousd, heldMicrousd } = lease;
    const amount = Math.max(0, freeMicrousd);
    lease.freeMicrousd -= amount;
    try {
      await store.giveBack({ id, heldMicrousd }, amount, clock.now());
    } catch (error) {
      retire(lease);
      throw error;
    }
  }

  const timers = [
    setInterval(() => void heartbeat(), times.heartbeatMs),
    setInterval(() => void answerRecalls(), times.recallMs),
  ];
  for (const timer of timers) timer.unref();

  return {
    hold(accountId, wish) {
      const wallet = walletOf(accountId);
      const lease = validLease(wallet);
      if (lease !== null && lease.freeMicrousd >= wish.maxMicrousd) {
        const hold = lease.hold(wish.maxMicrousd);
        const isLow = lease.freeMicrousd < wallet.spareMicrousd / 4 && steady.now() - wallet.filledAt > times.recallMs;
        if (isLow && !wallet.isFilling) void fill(wallet);
        return hold;
      }
      const { promise, resolve, reject } = Promise.withResolvers<BalanceHold | Insufficient>();
      const waitsUntil = steady.now() + times.patienceMs;
      wallet.waiting.push({ ...wish, resolve, reject, arrivedAt: clock.now(), waitsUntil });
      if (!wallet.isFilling) void fill(wallet);
      return promise;
    },
    heldMicrousd: (accountId) => leasesOf(accountId).reduce((sum, { heldMicrousd }) => sum + heldMicrousd, 0),
    leaseIds: (accountId) => leasesOf(accountId).map(({ id }) => id),
    heartbeat,
    answerRecalls,
    async stop() {
      for (const timer of timers) clearInterval(timer);
      const active = [...wallets.values()].flatMap(({ lease }) => lease ?? []);
      const ids = [...active, ...retired].map(({ id }) => id);
      wallets.clear();
      retired.clear();
      try {
        await store.end(ids);
      } catch (error) {
        log.warn({ error: String(error) }, "leases of prepaid balances could not be given back; they expire");
      }
    },
  };
}
