import { charge } from "../../billing/charge.ts";
import { namesVariant } from "../../billing/prices/price-of.ts";
import type { ModelPrices } from "../../billing/prices/prices.ts";
import type { ReportedUsage } from "../../conversation/usage.ts";
import type { Usage } from "../../metering/usage.ts";
import { compactRecord } from "../../records/compact-record.ts";
import type { UsageRecord } from "../../records/record.ts";
import type { VideoJob, VideoJobStore } from "../../videos/video-job.ts";
import { videoView } from "../../videos/video-view.ts";
import type { NewEvent } from "../../webhooks/outbox.ts";
import { finalRecord, pricesOf } from "../finish-job.ts";
import type { Services } from "../services.ts";

/** What ending a job needs. */
export interface EndServices extends Pick<Services, "recorder" | "catalog" | "prices" | "accounts" | "clock" | "log"> {
  readonly store: VideoJobStore;
}

/** A film that was made. */
export interface MadeFilm {
  /** How long it is, and whether the gateway has measured that. */
  readonly seconds: number;
  readonly isMeasured: boolean;
  /** As its provider says; null if it does not. */
  readonly size: string | null;
  /** As the film itself says; null if it does not. */
  readonly measuredSize: string | null;
  readonly usage: ReportedUsage | null;
}

/** Why there is no film. */
export interface JobFailure {
  /** `cancelled`, `deadline_exceeded`, `uncertain`, or the provider's own word. */
  readonly code: string;
  readonly message: string;
}

/** A film is a little longer than asked for: its last picture is shown for a while. */
const tolerance = 1.05;

const noRecord: JobFailure = {
  code: "interrupted",
  message: "The request of this job had ended before its film came.",
};

/** Ends a job with its film, and charges it. False if it did not: the job has changed meanwhile, or its record is final. */
export async function completeJob(
  services: EndServices,
  job: VideoJob,
  film: MadeFilm,
  stored: Pick<VideoJob, "blobKey" | "expiresAt"> & Pick<VideoJob["facts"], "bytes" | "contentType">,
): Promise<boolean> {
  const record = await pendingRecord(services, job);
  if (record === null) {
    // What nobody can be charged for is not handed out.
    await failJob(services, job, noRecord, { phase: "over", nextAt: null });
    return false;
  }
  const size = film.size ?? film.measuredSize ?? job.facts.size;
  const { blobKey, expiresAt, bytes, contentType } = stored;
  const ended: VideoJob = {
    ...job,
    status: "completed",
    phase: "over",
    nextAt: null,
    endedAt: services.clock.now(),
    blobKey,
    expiresAt,
    facts: {
      ...job.facts,
      progress: 100,
      size,
      seconds: String(shown(film.seconds)),
      chargedSeconds: shown(Math.min(film.seconds, Number(job.facts.seconds))),
      bytes,
      contentType,
    },
  };
  const { isLonger, usage } = usageOf(job, film, await pricesOfJob(services, job, record));
  const final = await finalRecord(services, record, {
    status: "succeeded",
    usage: film.usage,
    measured: usage,
    upstreamModel: job.facts.upstreamModel,
  });
  const billing = isLonger ? { ...final.billing, suspect: true as const } : final.billing;
  const event = eventOf(ended);
  return services.store.end({ job: ended, record: compactRecord({ ...final, billing }), event });
}

/**
 * Ends a job without a film, at no charge. False if the job has changed meanwhile. If its record is final already, the job alone
 * ends, and webhooks are not told.
 * @param next what remains to be done at its provider
 */
export async function failJob(
  services: EndServices,
  job: VideoJob,
  error: JobFailure,
  next: Pick<VideoJob, "phase" | "nextAt"> &
    Partial<Pick<VideoJob, "deletedAt" | "providerCostMicrousd">> & {
      readonly isCancelDue?: boolean;
    },
): Promise<boolean> {
  const record = await pendingRecord(services, job);
  const { isCancelDue = false, ...phase } = next;
  const ended: VideoJob = {
    ...job,
    ...phase,
    status: "failed",
    endedAt: services.clock.now(),
    facts: { ...job.facts, error, isCancelDue },
  };
  if (record === null) {
    const isEnded = await services.store.change(ended);
    const fields = { job: job.id, request_id: job.requestId };
    if (isEnded) services.log.error(fields, "a video job has ended without its record, which is not pending");
    return isEnded;
  }
  const measured: Usage = { dimensions: [], measurement: null };
  const final = await finalRecord(services, record, { status: "failed", usage: null, measured });
  const code = error.code.slice(0, 256);
  const failed: UsageRecord =
    code === "cancelled" ? { ...final, status: "cancelled" } : { ...final, error: { type: "upstream_error", code } };
  return services.store.end({ job: ended, record: compactRecord(failed), event: eventOf(ended) });
}

/** What a provider has charged for a film that its caller does not pay, in whole micro-USD. */
export async function providerCostOf(services: EndServices, job: VideoJob, film: MadeFilm): Promise<number> {
  const record = await services.recorder.findAnyones(job.requestId);
  if (record === null) return 0;
  const prices = await pricesOfJob(services, job, record);
  return charge(usageOf(job, film, prices).usage, prices, record.billing.pricingVersion).amountMicrousd;
}

/** The prices under which a job began, at what made it. */
async function pricesOfJob(
  { prices, catalog }: Pick<EndServices, "prices" | "catalog">,
  { facts, provider }: VideoJob,
  record: UsageRecord,
): Promise<ModelPrices | null> {
  const book = await prices.at(record.billing.pricingVersion);
  const routing = { ...record.routing, resolvedModel: facts.servedBy, provider };
  return pricesOf(book, catalog, { ...record, routing }, facts.upstreamModel);
}

/** The record of the job's request, with what serves the job; null if it is not pending. */
async function pendingRecord({ recorder }: EndServices, job: VideoJob): Promise<UsageRecord | null> {
  const record = await recorder.findAnyones(job.requestId);
  if (record?.status !== "pending") return null;
  const provider = job.provider === "" ? null : job.provider;
  return { ...record, routing: { ...record.routing, resolvedModel: job.facts.servedBy, provider } };
}

/**
 * The seconds that are charged: those that were made, and never more than were asked for. A size that was measured and
 * has no price of its own, since models round sizes in their own ways, is charged as the one that was asked for.
 */
function usageOf(
  job: VideoJob,
  { seconds, isMeasured, size, measuredSize }: MadeFilm,
  prices: ModelPrices | null,
): { usage: Usage; isLonger: boolean } {
  const asked = Number(job.facts.seconds);
  const made = Math.round(seconds * 1_000) / 1_000;
  const quantity = Math.min(made, asked);
  const isPriced = measuredSize !== null && prices !== null && namesVariant(prices, "video_second", measuredSize);
  const variant = size ?? (isPriced ? measuredSize : job.facts.size);
  const dimension = { name: "video_second", quantity, unit: "second", variant } as const;
  const source = isMeasured ? "local_estimate" : "provider";
  return {
    isLonger: made > asked * tolerance,
    usage: { dimensions: [dimension], measurement: { input: source, output: source } },
  };
}

function shown(seconds: number): number {
  return Math.round(seconds * 100) / 100;
}

/** The event of a job's end: once for each job. */
function eventOf(job: VideoJob): NewEvent {
  return {
    id: `evt_${job.id}`,
    kind: job.status === "completed" ? "video.completed" : "video.failed",
    accountId: job.accountId,
    payload: JSON.stringify(videoView(job)),
    createdAt: job.endedAt ?? job.createdAt,
  };
}
