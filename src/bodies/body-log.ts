import type { Clock } from "../clock.ts";
import { followStored } from "../follow-stored.ts";
import type { Log } from "../log.ts";
import type { RequestBody } from "../operations/operation.ts";
import { startRetention } from "../retention.ts";
import { BodyCapture } from "./body-capture.ts";
import type { BodyLogPolicy } from "./body-log-policy.ts";
import { createBodyMemory } from "./body-memory.ts";
import type { BodyStore } from "./body-store.ts";
import { createBodyPreparer } from "./prepare-in-background.ts";

/** Keeps the bodies of requests, for accounts that want it. */
export interface BodyLog {
  /** Begins to capture the bodies of a request; null unless its account has opted in. */
  begin(accountId: string, body: RequestBody): BodyCapture | null;
  /** Keeps the bodies of a request that has a record, after its answer. */
  keep(requestId: string, capture: BodyCapture): void;
  /** Puts changed policies in force here at once, and deletes what is no longer to be kept. */
  refresh(): Promise<void>;
  /** Writes what waits, within a few seconds. */
  stop(): Promise<void>;
}

interface BodyLogOptions {
  readonly store: BodyStore;
  /** Credentials of the providers that there are, which are never kept. */
  readonly secrets: () => readonly string[];
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
}

/** Bodies that are captured or wait, of all requests together, in characters or bytes. */
const maxMemoryBytes = 64 << 20;
/** Requests whose bodies wait to be written; those of further ones are not kept. */
const maxWaiting = 10_000;
/** How long what waits may hold up the end. */
const stopMs = 3_000;

export async function openBodyLog({ store, secrets, clock, log }: BodyLogOptions): Promise<BodyLog> {
  const read = async (): Promise<ReadonlyMap<string, BodyLogPolicy>> => {
    return new Map([...(await store.policies())].filter(([, { enabled }]) => enabled));
  };
  const policies = await followStored({ read, what: "The policies of body logs", log });
  const what = "bodies of requests";
  const retention = startRetention({ what, store, clock, log, retentionMs: 0 });
  const memory = createBodyMemory(maxMemoryBytes);
  const preparer = createBodyPreparer();
  const waiting: { readonly requestId: string; readonly capture: BodyCapture }[] = [];
  let writing: Promise<void> | null = null;
  let isFailing = false;

  /** Says so once, until bodies are kept again. */
  function failed(requestId: string, error: string): void {
    if (!isFailing) log.warn({ request_id: requestId, error }, "The bodies of a request could not be kept.");
    isFailing = true;
  }

  async function write(requestId: string, capture: BodyCapture): Promise<void> {
    const { accountId, policy } = capture;
    try {
      const bodies = [capture.request, capture.answer()];
      const [request, answer] = await preparer.prepare({ policy, secrets: secrets(), bodies });
      if (!request || !answer) throw new Error("A body was not prepared.");
      await store.keep({ id: requestId, accountId, request, answer }, policy.maxBytes);
      isFailing = false;
    } catch (error) {
      failed(requestId, String(error));
    } finally {
      capture.release();
    }
  }

  async function writeAll(): Promise<void> {
    // The last bytes of an answer are given after its record is kept.
    await new Promise((resolve) => setImmediate(resolve));
    for (let next = waiting.shift(); next; next = waiting.shift()) await write(next.requestId, next.capture);
    writing = null;
  }

  return {
    begin(accountId, body) {
      if (policies.value.size === 0) return null;
      const policy = policies.value.get(accountId);
      return policy === undefined ? null : new BodyCapture(accountId, policy, body, memory);
    },
    keep(requestId, capture) {
      if (waiting.length >= maxWaiting) {
        capture.release();
        failed(requestId, "Too many wait to be written.");
        return;
      }
      waiting.push({ requestId, capture });
      writing ??= writeAll();
    },
    async refresh() {
      await policies.refresh();
      void retention.removeExpired();
    },
    async stop() {
      await Promise.race([writing, Bun.sleep(stopMs)]);
      waiting.length = 0;
      preparer.stop();
      await Promise.all([policies.stop(), retention.stop()]);
    },
  };
}
