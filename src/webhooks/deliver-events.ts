import { eventDelivery, type EventDelivery } from "./deliver-event.ts";

export interface DeliveryOptions extends Omit<EventDelivery, "timeoutMs" | "stopping"> {
  /** How often the outbox is asked for events that are due. */
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  /** How long an event is this process's once it has claimed it: longer than an attempt may take. */
  readonly leaseMs?: number;
}

/** The delivery of events by this process. */
export interface Delivery {
  /** Resolves once what is due has been tried. Never rejects: what fails is tried again. */
  deliverDue(): Promise<void>;
  /** Breaks off running attempts, which are made again after their lease, and begins no others. */
  stop(): Promise<void>;
}

/** Events are deleted after this, delivered or not: 30 days. */
export const eventsKeptMs = 30 * 24 * 3_600_000;

/** Events that one claim takes. */
const batchSize = 16;
/** An account with so many events under way waits, so that its receivers do not hold up those of others. */
const maxOfAccount = 16;
/** Events under way in this process. */
const maxUnderWay = 512;
const defaultIntervalMs = 1_000;
const defaultTimeoutMs = 15_000;
const defaultLeaseMs = 60_000;

/**
 * Delivers events from the outbox to webhooks, each to every one that wants it, at least once and with one id, whatever
 * process dies when. A webhook that has taken an event is not told again because of another one that has not, unless a
 * process dies before it could note so. No account waits for another one's receivers.
 */
export function startDelivery(options: DeliveryOptions): Delivery {
  const { outbox, clock, log, intervalMs = defaultIntervalMs, timeoutMs = defaultTimeoutMs } = options;
  const { leaseMs = defaultLeaseMs } = options;
  const stopping = new AbortController();
  const deliver = eventDelivery({ ...options, timeoutMs, stopping: stopping.signal });
  const underWay = new Set<Promise<void>>();
  const ofAccount = new Map<string, number>();
  let claiming: Promise<void> | null = null;
  /** Whether the last claim left events that may be due. */
  let unclaimed = false;

  const warn = (error: unknown): void => {
    // What was claimed is due again after its lease.
    log.warn({ error: String(error) }, "events could not be delivered: the storage does not answer");
  };

  function begin(event: Parameters<typeof deliver>[0]): void {
    const { accountId } = event;
    ofAccount.set(accountId, (ofAccount.get(accountId) ?? 0) + 1);
    const delivery = deliver(event)
      .catch(warn)
      .finally(() => {
        underWay.delete(delivery);
        const left = (ofAccount.get(accountId) ?? 1) - 1;
        if (left === 0) ofAccount.delete(accountId);
        else ofAccount.set(accountId, left);
        if (unclaimed) void claim();
      });
    underWay.add(delivery);
  }

  async function claimDue(): Promise<void> {
    try {
      while (!stopping.signal.aborted) {
        const limit = Math.min(batchSize, maxUnderWay - underWay.size);
        const waiting = [...ofAccount].filter(([, count]) => count >= maxOfAccount).map(([accountId]) => accountId);
        unclaimed = limit <= 0 || waiting.length > 0;
        if (limit <= 0) return;
        const events = await outbox.claim(clock.now(), leaseMs, limit, waiting);
        events.forEach(begin);
        if (events.length < limit) return;
      }
    } catch (error) {
      warn(error);
    }
  }

  function claim(): Promise<void> {
    claiming ??= claimDue().finally(() => {
      claiming = null;
    });
    return claiming;
  }

  const timer = setInterval(() => void claim(), intervalMs);
  timer.unref();
  return {
    async deliverDue() {
      do await Promise.all([...underWay, claim()]);
      while (underWay.size > 0);
    },
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await claiming;
      await Promise.all(underWay);
    },
  };
}
