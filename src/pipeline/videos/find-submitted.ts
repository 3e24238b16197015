import type { SubmittedJob } from "../../dialects/exchange.ts";
import type { VideoProvider } from "../../operations/videos/video.ts";
import type { VideoJob, VideoJobStore } from "../../videos/video-job.ts";
import { askProvider, type ProviderWay } from "./provider-call.ts";

export interface FindTools {
  readonly store: Pick<VideoJobStore, "isKnown" | "hasTwin">;
  /** The ids of all providers. */
  readonly providers: readonly string[];
  /** How the job's provider is asked with each of its keys. */
  readonly ways: readonly ProviderWay[];
  /** A question may take as long, in milliseconds. */
  readonly timeoutMs: number;
}

/** A job at a provider, and the key under which it was found. */
export interface FoundJob {
  readonly job: SubmittedJob;
  readonly apiKey: string | null;
}

/** Jobs of a list that are looked at. */
const maxPossible = 200;
/** The clocks of providers differ. */
export const clockSkewMs = 120_000;

/**
 * Looks for a job whose submit is uncertain in its provider's list, by prompt and time. Null if it is not there, or could be
 * another one. Rejects with an `UpstreamFault` or an `AnswerFault`.
 */
export async function findSubmitted(
  job: VideoJob,
  list: NonNullable<VideoProvider["list"]>,
  { store, providers, ways, timeoutMs }: FindTools,
): Promise<FoundJob | null> {
  const { upstreamModel, submittedAt, prompt } = job.facts;
  const since = (submittedAt ?? job.createdAt) - clockSkewMs;
  for (const way of ways) {
    const listed = await askProvider(way, list(upstreamModel ?? ""), timeoutMs);
    const possible = listed
      .filter((each) => each.createdAt >= since && (each.prompt === null || each.prompt === prompt))
      .toSorted((a, b) => a.createdAt - b.createdAt);
    // Another provider of the configuration may be the same account. This is asked before what is known: a job of the list is
    // that of a twin, which is still looked for, or known by now.
    if (possible.length > 0 && (await store.hasTwin(job, since))) return null;
    const free = [];
    for (const each of possible.slice(0, maxPossible)) {
      if (await store.isKnown(providers, each.job.id)) continue;
      free.push(each);
      if (each.prompt !== null || free.length === 2) break;
    }
    // Without a prompt to tell them apart, only a single one is the right one.
    const isClear = free.length === 1 || free[0]?.prompt !== null;
    if (free[0] && isClear) return { job: free[0].job, apiKey: way.apiKey };
  }
  return null;
}
