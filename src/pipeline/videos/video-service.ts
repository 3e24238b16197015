import type { RemixSources } from "../../operations/videos/job-facts.ts";
import type { VideoJob, VideoJobStore, VideoQuery } from "../../videos/video-job.ts";
import type { FilmPicture } from "../../operations/videos/video.ts";
import type { FetchedPicture } from "./fetch-picture.ts";
import type { PollTimes } from "./poll-times.ts";
import type { TakeWebhook } from "./take-webhook.ts";

/** The video jobs of all accounts. Everything rejects with 503 `storage_unavailable` if the storage does not answer. */
export interface VideoService extends RemixSources {
  readonly store: VideoJobStore;
  readonly times: PollTimes;
  /** Rejects with 404 `video_not_found`. */
  find(accountId: string, id: string): Promise<VideoJob>;
  /** A page of jobs, and whether more follow. */
  list(query: VideoQuery): Promise<{ readonly jobs: readonly VideoJob[]; readonly hasMore: boolean }>;
  /** A job whose film is there. Rejects with 404 `video_not_found`, and 409 `not_ready` before it is completed. */
  findFilm(accountId: string, id: string): Promise<VideoJob & { readonly blobKey: string }>;
  /** The bytes of a film from `start` up to `end`. */
  read(job: { readonly blobKey: string }, start: number, end: number): AsyncIterable<Uint8Array>;
  /** A picture of a job's film, which its provider is asked for. Rejects with 400 if that has none. */
  picture(job: VideoJob, picture: FilmPicture): Promise<FetchedPicture>;
  /** Ends a job that runs as `cancelled`; one that has ended stays as it is. */
  cancel(accountId: string, id: string): Promise<VideoJob>;
  /** How the webhooks of a provider are taken. Throws a 404 `unknown_path` if it sends none, or none are to be taken. */
  webhooksOf(providerId: string): TakeWebhook;
  /** Deletes a job, which is cancelled before if it runs. */
  delete(accountId: string, id: string): Promise<void>;
}
