import { invalidParameter } from "../errors.ts";
import type { Identity } from "../access/identity.ts";
import { type FilmPicture, filmPictures } from "../operations/videos/video.ts";
import { type Answer, jsonAnswer } from "../pipeline/answer.ts";
import { checkEndpointScope } from "../pipeline/plan-request.ts";
import { maxPictureBytes } from "../pipeline/videos/fetch-picture.ts";
import { isVideoId } from "../pipeline/videos/create-video-service.ts";
import type { VideoJob } from "../videos/video-job.ts";
import { videoView } from "../videos/video-view.ts";
import { attachmentHeaders, contentAnswer } from "./content-answer.ts";
import { identify, identifyKey } from "./keyed.ts";
import { queryOf, type Visit } from "./visit.ts";

/** As scopes of keys name these paths. */
const endpoint = "videos";
const maxPage = 100;
const usualPage = 20;

/** `GET /v1/videos` */
export async function listVideos({ services, request }: Visit): Promise<Answer> {
  const { key } = await identifyForVideos({ services, request });
  const query = queryOf(request.target);
  const limit = query.get("limit") ?? String(usualPage);
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxPage) {
    throw invalidParameter("limit", `a whole number from 1 to ${maxPage}`);
  }
  const order = query.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw invalidParameter("order", "asc or desc");
  const after = query.get("after");
  if (after !== null && !isVideoId(after)) throw invalidParameter("after", "the id of a video");
  const page = await services.videos.list({ accountId: key.accountId, after, order, limit: Number(limit) });
  const data = page.jobs.map(videoView);
  const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
  return jsonAnswer({ object: "list", data, ...ends, has_more: page.hasMore });
}

/** `GET /v1/videos/{id}` */
export async function retrieveVideo({ services, request, id }: Visit): Promise<Answer> {
  const { key } = await identifyForVideos({ services, request });
  return jsonAnswer(videoView(await services.videos.find(key.accountId, id)));
}

/** `DELETE /v1/videos/{id}`: a job that runs is cancelled before. */
export async function deleteVideo({ services, request, id }: Visit): Promise<Answer> {
  const { key } = await identifyForVideos({ services, request }, identifyKey);
  await services.videos.delete(key.accountId, id);
  return jsonAnswer({ id, object: "video.deleted", deleted: true });
}

/** `POST /v1/videos/{id}/cancel`: one that has ended stays as it is. */
export async function cancelVideo({ services, request, id }: Visit): Promise<Answer> {
  const { key } = await identifyForVideos({ services, request }, identifyKey);
  return jsonAnswer(videoView(await services.videos.cancel(key.accountId, id)));
}

/** `GET /v1/videos/{id}/content`: the film, or a range of it. */
export async function videoContent({ services, request, id }: Visit): Promise<Answer> {
  const { key } = await identifyForVideos({ services, request });
  const variant = queryOf(request.target).get("variant") ?? "video";
  const picture = filmPictures.find((each) => each === variant);
  if (variant !== "video" && picture === undefined) {
    throw invalidParameter("variant", `video, ${filmPictures.join(" or ")}`);
  }
  const film = await services.videos.findFilm(key.accountId, id);
  if (picture !== undefined) return pictureAnswer(services, key.id, film, picture);
  const { bytes, contentType } = film.facts;
  const filename = `${id}.${contentType === "video/webm" ? "webm" : "mp4"}`;
  return contentAnswer(
    { services, request },
    {
      // The key of its blob would tell whether another account has the same content.
      tag: id,
      keyId: key.id,
      size: bytes,
      headers: attachmentHeaders(contentType, filename),
      read: (start, end) => services.videos.read(film, start, end),
    },
  );
}

/** A picture of a film comes from its provider each time: the gateway keeps the film alone. */
async function pictureAnswer(
  { videos, capacity }: Visit["services"],
  keyId: string,
  film: VideoJob,
  picture: FilmPicture,
): Promise<Answer> {
  const hold = capacity.admit(keyId);
  try {
    hold.addBodyBytes(maxPictureBytes);
    const { bytes, contentType } = await videos.picture(film, picture);
    const filename = `${film.id}-${picture}.${contentType.slice("image/".length)}`;
    return { status: 200, headers: attachmentHeaders(contentType, filename), body: bytes };
  } finally {
    hold.release();
  }
}

async function identifyForVideos(
  { services, request }: Pick<Visit, "services" | "request">,
  authenticate: typeof identifyKey = identify,
): Promise<Identity> {
  const identity = await authenticate(services, request);
  checkEndpointScope(identity, endpoint);
  return identity;
}
