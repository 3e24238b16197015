import { invalidParameter, notFound } from "../../../errors.ts";
import type { StoredFile } from "../../../files/file-store.ts";
import { isFileId } from "../../../files/file-id.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import { contentAnswer, viewHeaders } from "../../content-answer.ts";
import { identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { fileListQuery } from "./media-schemas.ts";
import { toPage } from "../input/page.ts";
import { readQuery } from "../input/read-input.ts";
import { withStorage } from "../input/with-storage.ts";

/** `GET /api/admin/videos/{id}/content`: the film of a job of any account. */
export async function showFilm({ services, request, id }: Visit): Promise<Answer> {
  const { key } = await identifyAdmin(services, request);
  const { videos } = services;
  const job = await withStorage(services, () => videos.store.findAnyones(id.slice(0, 256)));
  if (job === null) throw notFound("video_not_found", `No such video: '${id.slice(0, 64)}'.`, "video_id");
  const film = await videos.findFilm(job.accountId, id);
  const { bytes, contentType } = film.facts;
  const filename = `${id}.${contentType === "video/webm" ? "webm" : "mp4"}`;
  const read = (start: number, end: number) => videos.read(film, start, end);
  const headers = viewHeaders(contentType, filename);
  return contentAnswer({ services, request }, { tag: id, keyId: key.id, size: bytes, headers, read });
}

/** `GET /api/admin/files`: those of all accounts, newest first. */
export async function listFilesForOperator(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { account: accountId = null, purpose = null, limit, after = null } = readQuery(visit, fileListQuery);
  if (after !== null && !isFileId(after)) throw invalidParameter("after", "the next of the page before");
  const { files } = await services.files.list({ accountId, purpose, after, order: "desc", limit: limit + 1 });
  return jsonAnswer(toPage(files, limit, operatorFileView, ({ id }) => id));
}

/** `GET /api/admin/files/{id}/content` */
export async function showFile({ services, request, id }: Visit): Promise<Answer> {
  const { key } = await identifyAdmin(services, request);
  const file = await services.files.find(null, id);
  const headers = viewHeaders(file.contentType, file.filename);
  const read = (start: number, end: number) => services.files.read(file, start, end);
  return contentAnswer({ services, request }, { tag: id, keyId: key.id, size: file.bytes, headers, read });
}

function operatorFileView(file: StoredFile) {
  return {
    id: file.id,
    object: "file" as const,
    account: file.accountId,
    filename: file.filename,
    purpose: file.purpose,
    content_type: file.contentType,
    bytes: file.bytes,
    created_at: Math.floor(file.createdAt / 1_000),
    expires_at: file.expiresAt === null ? null : Math.floor(file.expiresAt / 1_000),
  };
}
