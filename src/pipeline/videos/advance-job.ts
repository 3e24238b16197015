import type { Scratch } from "../../blobs/scratch.ts";
import { GatewayError } from "../../errors.ts";
import type { Files } from "../../files/files.ts";
import type { VideoState } from "../../operations/videos/video.ts";
import { redact } from "../../upstream/redact.ts";
import type { Lookup } from "../../upstream/address-guard-pin.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import type { Provider } from "../../upstream/provider.ts";
import type { VideoJob } from "../../videos/video-job.ts";
import { type CopiedFilm, copyFilm } from "./copy-film.ts";
import { credentialMark } from "./credential-mark.ts";
import { completeJob, type EndServices, failJob, type JobFailure, type MadeFilm, providerCostOf } from "./end-job.ts";
import { findSubmitted } from "./find-submitted.ts";
import { type JobProvider, type JobProviderOptions, jobProviders, providerJobOf } from "./job-provider.ts";
import type { PollTimes } from "./poll-times.ts";
import { askProvider, wholeAnswer } from "./provider-call.ts";

/** What bringing jobs on needs. */
export interface AdvanceOptions extends EndServices, JobProviderOptions {
  readonly files: Files;
  readonly scratch: Scratch;
  readonly allowHosts: readonly string[];
  readonly random: () => number;
  /** How long a film is kept. */
  readonly retentionMs: number;
  /** A job that has not ended by then has failed. */
  readonly deadlineMs: number;
  readonly times: PollTimes;
  readonly lookup?: Lookup;
}

/** A call for the state of a job takes no longer than this. */
const pollMs = 45_000;
/** A film that could not be had so often is given up. */
const maxCopyFailures = 6;
/** A provider's list is asked so often for a job whose submit is uncertain. */
const maxListings = 4;

/**
 * Makes the function that takes the next step of one claimed job: polls it, ends it, or looks for it at its provider. It
 * never rejects: a step that failed is tried again later.
 */
export function jobAdvancer(options: AdvanceOptions): (job: VideoJob) => Promise<void> {
  const { store, clock, log, files, random, times } = options;
  const providerOf = jobProviders(options);

  async function advance(job: VideoJob): Promise<void> {
    const half = providerOf(job);
    try {
      if (job.phase === "late") await finishLate(job, half);
      else if (clock.now() >= job.createdAt + options.deadlineMs) await passDeadline(job);
      else if (job.phase === "running" && half !== null) await poll(job, half);
      else if (job.phase === "running") await again(job, times.maxPollMs);
      else await reconcile(job, half);
    } catch (error) {
      const { failedPolls } = job.facts;
      await putOff({ ...job, facts: { ...job.facts, failedPolls: failedPolls + 1 } }, failedPolls, error);
    }
  }

  /** Asks again after a failure, the later the more there were before it. */
  async function putOff(job: VideoJob, failures: number, error: unknown): Promise<void> {
    log.warn({ job: job.id, provider: job.provider, error: String(error) }, "a video job could not be brought on");
    const wait = Math.min(times.maxPollMs, times.minPollMs * 2 ** Math.min(failures, 10));
    await again(job, Math.max(wait, waitOf(error))).catch(() => undefined);
  }

  /** Asks again later. What another process or the caller has changed meanwhile stays. */
  async function again(job: VideoJob, waitMs: number): Promise<void> {
    const jitter = 0.8 + 0.4 * random();
    await store.change({ ...job, nextAt: clock.now() + Math.round(waitMs * jitter) });
  }

  async function poll(job: VideoJob, half: JobProvider): Promise<void> {
    const state = await ask(job, half);
    if (state.status === "completed") return complete(job, half, state);
    if (state.status === "failed") {
      await fail(job, wordsOf(state, half.provider), { phase: "over", nextAt: null });
      return;
    }
    if (state.status === "unknown") {
      const message = "The provider does not know this job any more.";
      await fail(job, { code: "job_lost", message }, { phase: "over", nextAt: null });
      return;
    }
    // Neither goes back.
    const status = job.status === "in_progress" ? "in_progress" : state.status;
    const progress = Math.max(job.facts.progress, Math.min(99, Math.floor(state.progress ?? 0)));
    const elapsed = clock.now() - (job.facts.submittedAt ?? job.createdAt);
    const wait = Math.min(times.maxPollMs, Math.max(times.minPollMs, elapsed / 6));
    const told = Math.min((state.retryAfterSeconds ?? 0) * 1_000, times.maxPollMs);
    await again({ ...job, status, facts: { ...job.facts, progress, failedPolls: 0 } }, Math.max(wait, told));
  }

  function ask(job: VideoJob, half: JobProvider): Promise<VideoState> {
    return askProvider(half.way, half.videos.poll(providerJobOf(job)), pollMs);
  }

  /** Copies the film, stores it, and ends the job with it. */
  async function complete(job: VideoJob, half: JobProvider, state: Completed): Promise<void> {
    try {
      const { scratch, allowHosts, lookup } = options;
      const tools = { scratch, allowHosts, timeoutMs: half.provider.timeouts.totalMs, ...(lookup && { lookup }) };
      const film = await copyFilm(half.way, state.film, tools);
      try {
        const made = madeOf(job, state, film);
        const blobKey = await files.keepBlob(film.content);
        const stored = {
          blobKey,
          expiresAt: clock.now() + options.retentionMs,
          bytes: film.content.size,
          contentType: film.contentType,
        };
        if (!(await completeJob(options, job, made, stored))) await noteCost(job.id, made);
      } finally {
        await film.dispose();
      }
    } catch (error) {
      // The gateway itself has no room.
      if (error instanceof GatewayError) throw error;
      const { failedCopies } = job.facts;
      if (failedCopies + 1 < maxCopyFailures) {
        const facts = { ...job.facts, failedPolls: 0, failedCopies: failedCopies + 1 };
        await putOff({ ...job, facts }, failedCopies, error);
        return;
      }
      log.error({ job: job.id, provider: job.provider, error: String(error) }, "a finished film could not be copied");
      const cost = await providerCostOf(options, job, madeOf(job, state, null));
      const failure = { code: "content_unavailable", message: "The finished film could not be had of its provider." };
      await fail(job, failure, { phase: "over", nextAt: null, providerCostMicrousd: cost });
    }
  }

  /** A film that nobody pays: its job had ended before. */
  async function noteCost(id: string, film: MadeFilm): Promise<void> {
    const job = await store.findAnyones(id);
    if (job === null || job.status !== "failed" || job.providerCostMicrousd !== null) return;
    const providerCostMicrousd = await providerCostOf(options, job, film);
    await store.change({ ...job, phase: "over", nextAt: null, providerCostMicrousd });
    log.warn(
      { job: id, provider: job.provider, cost_microusd: providerCostMicrousd },
      "a film came after its job had ended",
    );
  }

  async function passDeadline(job: VideoJob): Promise<void> {
    const error = { code: "deadline_exceeded", message: "The provider did not finish the film in time." };
    // Its submit may be uncertain.
    const wasAsked = job.provider !== "";
    const next = wasAsked
      ? ({ phase: "late", nextAt: clock.now() } as const)
      : ({ phase: "over", nextAt: null } as const);
    await fail(job, error, { ...next, isCancelDue: wasAsked });
  }

  /** What a provider does with a job that has ended for its caller: it is cancelled, or its cost is kept for operators. */
  async function finishLate(job: VideoJob, half: JobProvider | null): Promise<void> {
    const over = () => store.change({ ...job, phase: "over", nextAt: null });
    const isPast = clock.now() >= (job.endedAt ?? job.createdAt) + options.deadlineMs;
    if (half === null || isPast) {
      await over();
      return;
    }
    if (job.providerJobId === null) {
      // Its submit was uncertain when it was cancelled.
      if (!(await seek(job, half, { found: "late", notYet: "late" }))) await over();
      return;
    }
    // Before it is cancelled too: what is deleted there does not tell any more what it has cost.
    const state = await ask(job, half).catch((error: unknown) => {
      if (job.facts.isCancelDue) return null;
      throw error;
    });
    if (state?.status === "completed") await noteCost(job.id, madeOf(job, state, null));
    else if (state?.status === "failed" || state?.status === "unknown") await over();
    else if (job.facts.isCancelDue) {
      const request = half.videos.cancel?.(providerJobOf(job));
      // What it answers does not matter: it is asked for its state.
      if (request) await wholeAnswer(half.way, request, pollMs).catch(() => undefined);
      await again({ ...job, facts: { ...job.facts, isCancelDue: false } }, times.minPollMs);
    } else await again(job, times.maxPollMs);
  }

  /** A submit whose outcome is not known: the job is looked for in its provider's list. */
  async function reconcile(job: VideoJob, half: JobProvider | null): Promise<void> {
    const over = { phase: "over", nextAt: null } as const;
    if (job.provider === "") {
      await fail(job, { code: "interrupted", message: "The gateway stopped before a provider was asked." }, over);
    } else if (!(await seek(job, half, { found: "running", notYet: "uncertain" }))) {
      const message = "It is not known whether the provider has taken the job on. Nothing is charged.";
      await fail(job, { code: "uncertain", message }, over);
    }
  }

  /** Looks for a job at its provider. False if it is not there, also after a while. @param phases what it is in afterwards */
  async function seek(
    job: VideoJob,
    half: JobProvider | null,
    phases: Readonly<Record<"found" | "notYet", VideoJob["phase"]>>,
  ): Promise<boolean> {
    if (half === null || half.videos.list === null) return false;
    const tools = { store, providers: options.providers.all.map(({ id }) => id), ways: half.ways, timeoutMs: pollMs };
    const found = await findSubmitted(job, half.videos.list, tools);
    if (found !== null) {
      const facts = {
        ...job.facts,
        upstreamModel: found.job.model,
        providerData: found.job.data,
        credential: credentialMark(found.apiKey),
        failedPolls: 0,
      };
      await store.change({ ...job, phase: phases.found, nextAt: clock.now(), providerJobId: found.job.id, facts });
      const fields = { job: job.id, provider: job.provider };
      log.info(fields, "a video job was found at its provider after an uncertain submit");
      return true;
    }
    const failedPolls = job.facts.failedPolls + 1;
    if (failedPolls >= maxListings) return false;
    await again({ ...job, phase: phases.notYet, facts: { ...job.facts, failedPolls } }, times.listMs);
    return true;
  }

  async function fail(job: VideoJob, error: JobFailure, next: Parameters<typeof failJob>[3]): Promise<void> {
    await failJob(options, job, error, next);
  }

  return advance;
}

type Completed = Extract<VideoState, { status: "completed" }>;

/** What the provider says of the film; what it does not say is measured, or else as asked for. */
function madeOf(
  job: VideoJob,
  { seconds, size, usage }: Completed,
  measured: Pick<CopiedFilm, "seconds" | "pixels"> | null,
): MadeFilm {
  return {
    seconds: seconds ?? measured?.seconds ?? Number(job.facts.seconds),
    isMeasured: seconds === null,
    size,
    measuredSize: measured?.pixels ?? null,
    usage,
  };
}

function wordsOf({ code, message }: Extract<VideoState, { status: "failed" }>, provider: Provider): JobFailure {
  return {
    code: code === null ? "provider_failed" : redact(code, provider, 64),
    message: message === null ? "The provider could not make the film." : redact(message, provider, 1_000),
  };
}

function waitOf(error: unknown): number {
  return error instanceof UpstreamFault ? Math.min(error.retryAfterMs ?? 0, 600_000) : 0;
}
