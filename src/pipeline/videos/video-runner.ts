import type { VideoJob } from "../../videos/video-job.ts";
import { type AdvanceOptions, jobAdvancer } from "./advance-job.ts";
import { clockSkewMs } from "./find-submitted.ts";

/** Brings the jobs of all processes on, as far as this one takes them. */
export interface VideoRunner {
  /** Begins what is due now. Resolves once it is done. Never rejects. */
  runDue(): Promise<void>;
  /** Breaks nothing off: what does not end in time is taken over by another process. */
  stop(): Promise<void>;
}

/** Jobs of one provider that are asked for at once by this process; with the interval, this bounds calls in a second. */
const atOncePerProvider = 8;
/** Jobs are kept so long after their end. */
const keptMs = 30 * 24 * 3_600_000;
const sweepEveryMs = 60_000;
/** No job waits for so long, unless the clock was set back meanwhile. */
const longestWaitMs = 1_800_000;
const sweepBatch = 200;

/** Polls the jobs of the storage from now on. Two processes never take one job at once. */
export function startVideoRunner(options: AdvanceOptions): VideoRunner {
  const { store, clock, log, files, times } = options;
  const advance = jobAdvancer(options);
  // Without a provider are the jobs that were never put to one.
  const idsNow = () => [...options.providers.all.map(({ id }) => id), ""];
  const running = new Map<string, number>();
  const works = new Set<Promise<void>>();
  let isStopping = false;
  let ticking: Promise<void> | null = null;
  let sweptAt = Number.NEGATIVE_INFINITY;

  function begin(job: VideoJob): void {
    running.set(job.provider, (running.get(job.provider) ?? 0) + 1);
    const renewal = setInterval(() => {
      store.renew(job, clock.now() + times.leaseMs).catch(() => undefined);
    }, times.leaseMs / 3);
    const work = advance(job).finally(() => {
      clearInterval(renewal);
      works.delete(work);
      running.set(job.provider, (running.get(job.provider) ?? 1) - 1);
    });
    works.add(work);
  }

  function tick(): Promise<void> {
    return (ticking ??= look().finally(() => (ticking = null)));
  }

  async function look(): Promise<void> {
    if (isStopping) return;
    try {
      const now = clock.now();
      const providerIds = idsNow();
      for (const provider of providerIds) await claim(provider, now);
      if (Math.abs(now - sweptAt) >= sweepEveryMs) {
        sweptAt = now;
        await store.bringForward(now, now + longestWaitMs);
        for (const gone of await store.otherProviders(providerIds, now)) await claim(gone, now);
        await sweep(now);
      }
    } catch (error) {
      log.warn({ error: String(error) }, "video jobs could not be looked for: the storage does not answer");
    }
  }

  async function claim(provider: string, now: number): Promise<void> {
    const free = atOncePerProvider - (running.get(provider) ?? 0);
    if (free <= 0 || isStopping) return;
    for (const job of await store.claim(provider, now, now + times.leaseMs, free)) begin(job);
  }

  async function sweep(now: number): Promise<void> {
    let expired = 0;
    for (let count = sweepBatch; count === sweepBatch; expired += count) count = await store.expire(now, sweepBatch);
    if (expired > 0) files.sweepSoon();
    // As long as an uncertain job may be looked for, a deleted one tells that its film is none that nobody knows.
    const before = { endedBefore: now - keptMs, deletedBefore: now - options.deadlineMs - clockSkewMs };
    while ((await store.deleteOld(before, sweepBatch)) === sweepBatch);
  }

  const timer = setInterval(() => void tick(), times.tickMs);
  timer.unref();
  return {
    async runDue() {
      await tick();
      await Promise.all(works);
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      // A storage may not answer. Jobs that are being brought on are due again after their lease.
      const ended = Promise.resolve(ticking).then(() => Promise.all(works));
      await Promise.race([ended, Bun.sleep(2_000)]);
    },
  };
}
