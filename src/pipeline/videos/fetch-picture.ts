import { sniffContentType } from "../../http/sniff-content-type.ts";
import type { FilmPicture } from "../../operations/videos/video.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import type { VideoJob } from "../../videos/video-job.ts";
import { callerErrorOf } from "../attempt/caller-error.ts";
import { type JobProvider, providerJobOf } from "./job-provider.ts";
import { wholeAnswer } from "./provider-call.ts";

/** A picture of a film, as its provider has made it. */
export interface FetchedPicture {
  readonly bytes: Uint8Array;
  readonly contentType: string;
}

/** A larger picture is refused, in bytes. */
export const maxPictureBytes = 8 << 20;
const timeoutMs = 30_000;

/** Fetches a picture of a finished film from its provider; null if that has none. Rejects with a 502 or 503 if it cannot be asked. */
export async function fetchPicture(
  job: VideoJob,
  picture: FilmPicture,
  { provider, videos, way }: JobProvider,
): Promise<FetchedPicture | null> {
  const request = videos.picture?.(providerJobOf(job), picture);
  if (request === undefined) return null;
  try {
    const { status, bytes } = await wholeAnswer(way, request, timeoutMs, maxPictureBytes);
    if (status === 400 || status === 404 || status === 410 || status === 501) return null;
    if (status < 200 || status > 299) {
      throw new UpstreamFault("status", `The provider answered with HTTP ${status}.`, { status });
    }
    const contentType = sniffContentType(bytes);
    if (contentType.startsWith("image/") && contentType !== "image/svg+xml") return { bytes, contentType };
    throw new UpstreamFault("invalid_response", `The provider's picture is none, but ${contentType}.`);
  } catch (error) {
    throw error instanceof UpstreamFault ? callerErrorOf(error, provider) : error;
  }
}
