import { GatewayError } from "../../errors.ts";
import type { SubmittedJob } from "../../dialects/exchange.ts";
import type { JobFacts } from "../../operations/videos/job-facts.ts";
import { compactRecord } from "../../records/compact-record.ts";
import type { UsageRecord } from "../../records/record.ts";
import type { VideoJob } from "../../videos/video-job.ts";
import { videoView } from "../../videos/video-view.ts";
import type { Attempt } from "../attempt/attempt.ts";
import type { DurableJob, Progress } from "../finished-request.ts";
import type { Services } from "../services.ts";
import { beginningRecord } from "../settle.ts";
import { credentialMark } from "./credential-mark.ts";

/** How the submit of a job has ended. `gone`: the job was cancelled meanwhile. */
export type SubmitOutcome =
  | { readonly kind: "accepted"; readonly job: SubmittedJob; readonly attempt: Attempt }
  | { readonly kind: "uncertain" }
  | { readonly kind: "gone" };

/** How long a job is its process's while it is being submitted, and how often that is renewed, in milliseconds. */
const submitLeaseMs = 15_000;
const renewMs = 5_000;
/** How often a change of the storage is tried that must not be lost, and the pause before the next try. */
const maxTries = 5;
const tryAgainMs = 500;

/**
 * Makes a job durable, with the pending record of its request and what that holds, before a provider is asked.
 * @throws 503 `storage_unavailable`; nothing is begun then
 */
export async function beginJob(services: Services, progress: Progress, facts: JobFacts): Promise<BegunJob> {
  const { context, identity, funding, claim, parsed } = progress;
  if (identity === null) throw new Error("A job is begun with a key.");
  const job = newJob(services, progress, facts, {
    accountId: identity.key.accountId,
    keyId: identity.key.id,
    model: parsed?.model ?? "",
  });
  const record = beginningRecord(services, progress, facts.id, JSON.stringify(videoView(job)));
  try {
    await services.videos.store.create(job, compactRecord(record));
  } catch (cause) {
    services.log.error({ request_id: context.id, cause: String(cause) }, "a video job could not be stored");
    throw GatewayError.of("storage_unavailable", "Video jobs cannot be stored at the moment.", {
      retryAfterSeconds: 5,
      cause,
    });
  }
  // From now on the record holds what the request has held so far.
  funding?.hold?.settle(record.heldMicrousd);
  await funding?.budgetHold?.keep();
  if (claim) services.idempotency.finish(claim);
  return new BegunJob(services, job, record);
}

function newJob(
  { clock }: Pick<Services, "clock">,
  { context, claim }: Progress,
  { id, prompt, seconds, size, remixedFrom }: JobFacts,
  { accountId, keyId, model }: { readonly accountId: string; readonly keyId: string; readonly model: string },
): VideoJob {
  return {
    id,
    accountId,
    requestId: context.id,
    createdAt: context.startedAt,
    status: "queued",
    phase: "submitting",
    nextAt: clock.now() + submitLeaseMs,
    version: 0,
    provider: "",
    providerJobId: null,
    blobKey: null,
    expiresAt: null,
    endedAt: null,
    deletedAt: null,
    providerCostMicrousd: null,
    facts: {
      model,
      prompt,
      seconds,
      size,
      chargedSeconds: null,
      remixedFrom,
      progress: 0,
      error: null,
      servedBy: null,
      dialect: null,
      upstreamModel: null,
      credential: null,
      providerData: {},
      submittedAt: null,
      failedPolls: 0,
      failedCopies: 0,
      isCancelDue: false,
      bytes: 0,
      contentType: "video/mp4",
      idempotencyKey: claim?.idempotencyKey ?? null,
      keyId,
    },
  };
}

/** A job that has been made durable, and is being submitted by this process. */
export class BegunJob implements DurableJob {
  readonly #services: Services;
  /** The record that it was begun with: what it holds stays held until the job ends. */
  readonly #record: UsageRecord;
  readonly #timer: ReturnType<typeof setInterval>;
  #job: VideoJob;
  /** Null: no provider has taken it on, for a reason that the caller is told. */
  outcome: SubmitOutcome | null = null;

  constructor(services: Services, job: VideoJob, record: UsageRecord) {
    this.#services = services;
    this.#job = job;
    this.#record = record;
    this.#timer = setInterval(() => void this.#renew(), renewMs);
    this.#timer.unref();
  }

  get id(): string {
    return this.#job.id;
  }

  /** What its caller is told, however far it has come by then: the same as for a repetition under an `Idempotency-Key`. */
  get answer(): string {
    return JSON.stringify(videoView({ ...this.#job, status: "queued" }));
  }

  /** A provider is about to be asked. False if the job was cancelled. Rejects if the storage does not answer. */
  async asking(facts: Pick<VideoJob["facts"], "servedBy" | "dialect" | "upstreamModel">, provider: string) {
    const now = this.#services.clock.now();
    const job: VideoJob = {
      ...this.#job,
      provider,
      nextAt: now + submitLeaseMs,
      facts: { ...this.#job.facts, ...facts, submittedAt: now },
    };
    if (!(await this.#services.videos.store.change(job))) return false;
    this.#job = { ...job, version: job.version + 1 };
    return true;
  }

  /** Keeps what has become of the submit, together with the record of the request. */
  async settle(settled: UsageRecord): Promise<void> {
    clearInterval(this.#timer);
    // What is held was taken from its lease at the beginning.
    const { leaseId: _, ...record } = { ...settled, heldMicrousd: this.#record.heldMicrousd };
    const { log } = this.#services;
    for (let tries = 1; ; tries++) {
      try {
        if (await this.#keep(record)) return;
        const current = await this.#services.videos.store.findAnyones(this.#job.id);
        if (current === null) return;
        this.#job = current;
      } catch (error) {
        log.warn({ job: this.#job.id, error: String(error) }, "the outcome of a video job's submit could not be kept");
        if (tries >= maxTries) return;
        await Bun.sleep(tryAgainMs);
      }
      // After its lease it is looked for at its provider.
      if (tries >= 2 * maxTries) return;
    }
  }

  /** False if the job has changed meanwhile. */
  #keep(record: UsageRecord): Promise<boolean> {
    const { videos, clock } = this.#services;
    const job = this.#job;
    const compact = compactRecord(record);
    const { outcome } = this;
    const isOver = job.status === "completed" || job.status === "failed";
    if (outcome?.kind === "gone") return Promise.resolve(true);
    if (outcome?.kind === "accepted") {
      const accepted = acceptedJob(job, outcome);
      if (!isOver)
        return videos.store.accept(
          { ...accepted, phase: "running", nextAt: clock.now() + videos.times.minPollMs },
          compact,
        );
      // It was cancelled meanwhile: its provider is told.
      return videos.store.change({ ...accepted, phase: "late", nextAt: clock.now() });
    }
    if (isOver && outcome?.kind === "uncertain") {
      // It was cancelled meanwhile, and is looked for at its provider.
      const facts = { ...job.facts, failedPolls: 0, isCancelDue: true };
      return videos.store.change({ ...job, phase: "late", nextAt: clock.now() + videos.times.listMs, facts });
    }
    if (isOver) return Promise.resolve(true);
    if (outcome?.kind === "uncertain") {
      return videos.store.accept({ ...job, phase: "uncertain", nextAt: clock.now() + videos.times.listMs }, compact);
    }
    return videos.store.drop({ job, record: compact, event: null });
  }

  async #renew(): Promise<void> {
    const { videos, clock, log } = this.#services;
    try {
      await videos.store.renew(this.#job, clock.now() + submitLeaseMs);
    } catch (error) {
      log.warn({ job: this.#job.id, error: String(error) }, "a video job that is being submitted could not be renewed");
    }
  }
}

function acceptedJob(
  job: VideoJob,
  { job: submitted, attempt }: Extract<SubmitOutcome, { kind: "accepted" }>,
): VideoJob {
  const { target, model } = attempt.candidate;
  return {
    ...job,
    provider: target.provider.id,
    providerJobId: submitted.id,
    facts: {
      ...job.facts,
      servedBy: model.id,
      dialect: attempt.exchange.request.dialect,
      upstreamModel: submitted.model,
      credential: credentialMark(target.provider.apiKeys[attempt.credential] ?? null),
      providerData: submitted.data,
    },
  };
}
