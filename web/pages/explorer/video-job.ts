import type { ReadTools } from "./use-call.ts";

/** A job as the API shows it. */
export interface VideoJob {
  readonly id: string;
  readonly status: "queued" | "in_progress" | "completed" | "failed";
  readonly progress: number;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface VideoResult {
  readonly job: VideoJob;
  /** Null until it is complete, and if it has failed. */
  readonly film: Blob | null;
}

const pollMs = 1_000;

/** Follows a job to its end, and loads its film. @throws {ApiError} if it can no longer be asked for */
export async function followJob(
  begun: VideoJob,
  { callMore, show, signal }: ReadTools<VideoResult>,
): Promise<VideoResult> {
  let job = begun;
  while (job.status === "queued" || job.status === "in_progress") {
    show({ job, film: null });
    await pause(pollMs, signal);
    const { response } = await callMore({ method: "GET", path: `/v1/videos/${job.id}` });
    job = (await response.json()) as VideoJob;
  }
  show({ job, film: null });
  if (job.status === "failed") return { job, film: null };
  const { response } = await callMore({ method: "GET", path: `/v1/videos/${job.id}/content` });
  return { job, film: await response.blob() };
}

/** Rejects if it is aborted before. */
async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, milliseconds);
  const abort = () => reject(new DOMException("Aborted", "AbortError"));
  signal.addEventListener("abort", abort, { once: true });
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}
