import type { RecordsLog } from "../log.ts";
import type { UsageRecord } from "../record.ts";

/** Records that neither the store nor the journal took: held in memory and tried again until one of them does. */
export interface LateCommits {
  add(record: UsageRecord): void;
  all(): Iterable<UsageRecord>;
  /** Tries once more, and says what is lost. */
  close(): Promise<void>;
}

/** Beyond it records are lost. New requests are refused by then, so they are those that were under way. */
const maxRecords = 10_000;
const maxPauseMs = 30_000;

export function createLateCommits(
  commit: (record: UsageRecord) => Promise<void>,
  log: RecordsLog,
  minPauseMs: number,
): LateCommits {
  const waiting = new Map<string, UsageRecord>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  let pauseMs = minPauseMs;

  async function tryAll(): Promise<void> {
    const tries = [...waiting.values()].map(async (record) => {
      try {
        await commit(record);
        waiting.delete(record.id);
      } catch {
        // The recorder has said why.
      }
    });
    await Promise.all(tries);
  }

  function schedule(): void {
    timer ??= setTimeout(() => {
      void tryAll().then(() => {
        timer = null;
        pauseMs = waiting.size > 0 ? Math.min(pauseMs * 2, maxPauseMs) : minPauseMs;
        if (waiting.size > 0) schedule();
      });
    }, pauseMs);
    timer.unref();
  }

  function lose(ids: readonly string[]): void {
    log.error({ lost: ids }, "records are lost: neither the store nor the journal has taken them");
  }

  return {
    add(record) {
      if (waiting.size >= maxRecords) {
        lose([record.id]);
        return;
      }
      waiting.set(record.id, record);
      schedule();
    },
    all: () => waiting.values(),
    async close() {
      if (timer !== null) clearTimeout(timer);
      if (waiting.size > 0) await tryAll();
      if (waiting.size > 0) lose([...waiting.keys()]);
      waiting.clear();
    },
  };
}
