import type { Clock } from "../clock.ts";
import type { Outbox, OutboxEvent } from "./outbox.ts";
import { postEvent, type PostOptions } from "./post-event.ts";
import { wants, type Webhook, webhookKey } from "./webhook.ts";

export interface DeliveryOptions {
  readonly webhooks: readonly Webhook[];
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: {
    warn(fields: Readonly<Record<string, unknown>>, message: string): void;
    error(fields: Readonly<Record<string, unknown>>, message: string): void;
  };
  /** How often the outbox is asked for events that are due. */
  readonly intervalMs?: number;
  readonly timeoutMs?: number;
  /** How long an event is this process's once it has claimed it: longer than an attempt may take. */
  readonly leaseMs?: number;
  readonly lookup?: PostOptions["lookup"];
}

/** The delivery of events by this process. */
export interface Delivery {
  /** Delivers what is due. Never rejects: what fails is tried again. */
  deliverDue(): Promise<void>;
  /** Breaks off running attempts, which are made again after their lease, and begins no others. */
  stop(): Promise<void>;
}

/** Events are deleted after this, delivered or not: 30 days. */
export const eventsKeptMs = 30 * 24 * 3_600_000;

/** Events that a process delivers at once. */
const batchSize = 16;
const defaultIntervalMs = 1_000;
const defaultTimeoutMs = 15_000;
const defaultLeaseMs = 60_000;
/** The waits between attempts, as Standard Webhooks suggests them; after the last one an event is given up. */
const waitsMs = [5, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 10 * 3_600, 14 * 3_600, 20 * 3_600, 24 * 3_600].map(
  (seconds) => seconds * 1_000,
);
/** A wait is longer by up to this part of it, so that what failed together does not come back together. */
const jitter = 0.1;

/**
 * Delivers events from the outbox to webhooks, each to every one that wants it, at least once and with one id, whatever
 * process dies when. A webhook that has taken an event is not told again because of another one that has not, unless a
 * process dies before it could note so.
 */
export function startDelivery(options: DeliveryOptions): Delivery {
  const { webhooks, outbox, clock, log, intervalMs = defaultIntervalMs, timeoutMs = defaultTimeoutMs } = options;
  const { leaseMs = defaultLeaseMs } = options;
  const keys = new Map(webhooks.map((webhook) => [webhook, webhookKey(webhook)]));
  let running: Promise<void> | null = null;
  const stopping = new AbortController();

  async function deliver(event: OutboxEvent): Promise<void> {
    const wanting = webhooks.filter((webhook) => wants(webhook, event));
    const results = await Promise.all(
      wanting.map(async (webhook) => {
        const key = keys.get(webhook) ?? "";
        if (event.deliveredTo.includes(key)) return { webhook, key, problem: null };
        const { lookup } = options;
        const attempt = { now: clock.now(), timeoutMs, stopping: stopping.signal, ...(lookup && { lookup }) };
        const problem = await postEvent(webhook, event, attempt);
        return { webhook, key, problem };
      }),
    );
    const deliveredTo = results.filter(({ problem }) => problem === null).map(({ key }) => key);
    const failed = results.filter(({ problem }) => problem !== null);
    if (failed.length === 0) {
      const { attempts } = event;
      await outbox.change(event.id, { attempts, deliveredTo, nextAttemptAt: null, deliveredAt: clock.now() });
      return;
    }
    // Not the webhook has failed.
    if (stopping.signal.aborted) return;
    const waitMs = waitsMs[event.attempts];
    const nextAttemptAt = waitMs === undefined ? null : clock.now() + Math.round(waitMs * (1 + Math.random() * jitter));
    const attempts = event.attempts + 1;
    await outbox.change(event.id, { attempts, deliveredTo, nextAttemptAt, deliveredAt: null });
    for (const { webhook, problem } of failed) {
      const fields = { event: event.id, kind: event.kind, host: new URL(webhook.url).host, problem, attempts };
      if (nextAttemptAt === null) log.error(fields, "an event could not be delivered and is given up");
      else
        log.warn({ ...fields, next_attempt_at: new Date(nextAttemptAt).toISOString() }, "an event was not delivered");
    }
  }

  async function deliverAll(): Promise<void> {
    try {
      for (;;) {
        const events = stopping.signal.aborted ? [] : await outbox.claim(clock.now(), leaseMs, batchSize);
        await Promise.all(events.map(deliver));
        if (events.length < batchSize) return;
      }
    } catch (error) {
      // What was claimed is due again after its lease.
      log.warn({ error: String(error) }, "events could not be delivered: the storage does not answer");
    } finally {
      running = null;
    }
  }

  const deliverDue = () => (running ??= deliverAll());
  const timer = setInterval(() => void deliverDue(), intervalMs);
  timer.unref();
  return {
    deliverDue,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await running;
    },
  };
}
