import type { Clock } from "../clock.ts";
import type { Outbox, OutboxEvent } from "./outbox.ts";
import { postEvent, type PostOptions } from "./post-event.ts";
import { wants, type Webhook, webhookKey } from "./webhook.ts";

export interface EventDelivery {
  readonly webhooks: readonly Webhook[];
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: {
    warn(fields: Readonly<Record<string, unknown>>, message: string): void;
    error(fields: Readonly<Record<string, unknown>>, message: string): void;
  };
  /** For one attempt. */
  readonly timeoutMs: number;
  /** Breaks off running attempts. */
  readonly stopping: AbortSignal;
  readonly lookup?: PostOptions["lookup"] | undefined;
}

/** The waits between attempts, as Standard Webhooks suggests them; after the last one an event is given up. */
const waitsMs = [5, 5 * 60, 30 * 60, 2 * 3_600, 5 * 3_600, 10 * 3_600, 14 * 3_600, 20 * 3_600, 24 * 3_600].map(
  (seconds) => seconds * 1_000,
);
/** A wait is longer by up to this part of it, so that what failed together does not come back together. */
const jitter = 0.1;

/** A webhook that let so many attempts in a row run out of time is not asked again for a while. */
const maxTimeouts = 3;
const restMs = 30_000;

/**
 * Returns a function that makes one attempt to deliver an event to all webhooks that want it and do not have it yet, and
 * writes down what became of it. A webhook that does not answer rests, so that it does not hold up the events that others
 * want too: an attempt while it rests is a failed one. The function rejects only if the outbox does.
 */
export function eventDelivery(options: EventDelivery): (event: OutboxEvent) => Promise<void> {
  const { webhooks, outbox, clock, log, timeoutMs, stopping, lookup } = options;
  const states = webhooks.map((webhook) => ({ webhook, key: webhookKey(webhook), timeouts: 0, restsUntil: 0 }));

  async function attempt(state: (typeof states)[number], event: OutboxEvent): Promise<string | null> {
    if (event.deliveredTo.includes(state.key)) return null;
    const now = clock.now();
    if (now < state.restsUntil) return "it did not answer the attempts before";
    const attempted = { now, timeoutMs, stopping, ...(lookup && { lookup }) };
    const { problem, timedOut } = await postEvent(state.webhook, event, attempted);
    state.timeouts = timedOut ? state.timeouts + 1 : 0;
    if (state.timeouts >= maxTimeouts) state.restsUntil = clock.now() + restMs;
    return problem;
  }

  return async function deliver(event) {
    const wanting = states.filter(({ webhook }) => wants(webhook, event));
    const problems = await Promise.all(wanting.map((state) => attempt(state, event)));
    const deliveredTo = wanting.filter((_, index) => problems[index] === null).map(({ key }) => key);
    const { id, kind } = event;
    if (deliveredTo.length === wanting.length) {
      const { attempts } = event;
      await outbox.change(id, { attempts, deliveredTo, nextAttemptAt: null, deliveredAt: clock.now() });
      return;
    }
    // Not the webhook has failed.
    if (stopping.aborted) return;
    const waitMs = waitsMs[event.attempts];
    const nextAttemptAt = waitMs === undefined ? null : clock.now() + Math.round(waitMs * (1 + Math.random() * jitter));
    const attempts = event.attempts + 1;
    await outbox.change(id, { attempts, deliveredTo, nextAttemptAt, deliveredAt: null });
    for (const [index, { webhook }] of wanting.entries()) {
      const problem = problems[index];
      if (problem === null || problem === undefined) continue;
      const fields = { event: id, kind, host: new URL(webhook.url).host, problem, attempts };
      if (nextAttemptAt === null) log.error(fields, "an event could not be delivered and is given up");
      else
        log.warn({ ...fields, next_attempt_at: new Date(nextAttemptAt).toISOString() }, "an event was not delivered");
    }
  };
}
