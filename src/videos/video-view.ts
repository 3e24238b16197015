import type { VideoJob } from "./video-job.ts";

/** A job as OpenAI shows it. */
export function videoView({ id, status, createdAt, endedAt, expiresAt, facts }: VideoJob) {
  const { model, progress, prompt, size, seconds, remixedFrom, error } = facts;
  return {
    id,
    object: "video" as const,
    model,
    status,
    progress,
    created_at: toSeconds(createdAt),
    completed_at: status === "completed" ? toSeconds(endedAt ?? createdAt) : null,
    expires_at: expiresAt === null ? null : toSeconds(expiresAt),
    prompt,
    size,
    seconds,
    remixed_from_video_id: remixedFrom,
    error,
  };
}

function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1_000);
}
