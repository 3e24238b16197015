import { GatewayError, notFound, unsupportedParameter } from "../../errors.ts";
import type { Files } from "../../files/files.ts";
import type { VideoJob, VideoJobStore } from "../../videos/video-job.ts";
import { type EndServices, failJob } from "./end-job.ts";
import { fetchPicture } from "./fetch-picture.ts";
import { type JobProviderOptions, jobProviders } from "./job-provider.ts";
import type { PollTimes } from "./poll-times.ts";
import { type WebhookOptions, webhooksOf } from "./take-webhook.ts";
import type { VideoService } from "./video-service.ts";

export interface VideoServiceOptions extends EndServices, WebhookOptions, JobProviderOptions {
  readonly store: VideoJobStore;
  readonly files: Files;
  readonly times: PollTimes;
}

/** How often a change is tried if the job changes at the same time. */
const maxTries = 8;

export const cancelled = { code: "cancelled", message: "The job was cancelled." } as const;

export function createVideoService(options: VideoServiceOptions): VideoService {
  const { store, clock, files, times } = options;
  const providerOf = jobProviders(options);

  const find: VideoService["find"] = (accountId, id) =>
    whileAvailable(async () => (isVideoId(id) ? await store.find(accountId, id) : null) ?? notThere(id));

  const findFilm: VideoService["findFilm"] = async (accountId, id) => {
    const job = await find(accountId, id);
    if (job.status !== "completed") throw notReady(job);
    const { blobKey } = job;
    if (blobKey === null || (job.expiresAt ?? Infinity) <= clock.now()) return notThere(id);
    return { ...job, blobKey };
  };

  /** Changes a job, again and again while others change it too. */
  async function changing(
    accountId: string,
    id: string,
    change: (job: VideoJob) => Promise<boolean>,
  ): Promise<VideoJob> {
    for (let tries = 0; tries < maxTries; tries++) {
      const job = await find(accountId, id);
      if (await whileAvailable(() => change(job))) return job;
    }
    throw storageUnavailable(new Error("A job changes again and again."));
  }

  const isOver = ({ status }: VideoJob) => status === "completed" || status === "failed";

  return {
    store,
    times,
    find,
    findFilm,
    list: (query) =>
      whileAvailable(async () => {
        const found = await store.list({ ...query, limit: query.limit + 1 });
        return { jobs: found.slice(0, query.limit), hasMore: found.length > query.limit };
      }),
    async picture(job, picture) {
      const provider = providerOf(job);
      const fetched = provider === null ? null : await fetchPicture(job, picture, provider);
      if (fetched !== null) return fetched;
      throw unsupportedParameter("variant", `The provider of this video has no ${picture} of it.`);
    },
    read: ({ blobKey }, start, end) => files.read({ blobKey }, start, end),
    async cancel(accountId, id) {
      await changing(accountId, id, async (job) => {
        if (isOver(job)) return true;
        return failJob(options, job, cancelled, { phase: "late", nextAt: clock.now(), isCancelDue: true });
      });
      return find(accountId, id);
    },
    async delete(accountId, id) {
      await changing(accountId, id, async (job) => {
        const deletedAt = clock.now();
        if (isOver(job)) return store.change({ ...job, deletedAt, blobKey: null });
        const next = { phase: "late", nextAt: deletedAt, isCancelDue: true, deletedAt } as const;
        return failJob(options, job, cancelled, next);
      });
      files.sweepSoon();
    },
    webhooksOf(providerId) {
      const take = webhooksOf(options, providerId);
      return (webhook) => whileAvailable(() => take(webhook));
    },
    async remixSource(accountId, id) {
      const job = await find(accountId, id);
      if (job.status !== "completed" || job.providerJobId === null) throw notReady(job);
      const { model, upstreamModel, providerData, seconds, chargedSeconds, size } = job.facts;
      return {
        jobId: id,
        provider: job.provider,
        job: { id: job.providerJobId, model: upstreamModel ?? "", data: providerData },
        requestedModel: model,
        seconds: chargedSeconds === null ? seconds : String(chargedSeconds),
        size,
      };
    },
  };
}

/** Whether a text has the form of a job's id. */
export function isVideoId(text: string): boolean {
  return /^video_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text);
}

function notThere(id: string): never {
  throw notFound("video_not_found", `No such video: '${id.slice(0, 64)}'.`, "video_id");
}

function notReady({ status, facts }: VideoJob): GatewayError {
  const why = status === "failed" ? `it has failed (${facts.error?.code ?? "unknown"})` : `it is ${status}`;
  return GatewayError.of("not_ready", `The video is not ready: ${why}.`);
}

function storageUnavailable(cause: unknown): GatewayError {
  const message = "Video jobs cannot be read or changed at the moment.";
  return GatewayError.of("storage_unavailable", message, { retryAfterSeconds: 5, cause });
}

async function whileAvailable<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (cause) {
    throw cause instanceof GatewayError ? cause : storageUnavailable(cause);
  }
}
