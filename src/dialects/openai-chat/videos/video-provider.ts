import { carried } from "../../../conversation/fields/support.ts";
import { isObject, type JsonObject, listOrEmpty, stringOrNull } from "../../../json/values.ts";
import { formBody, type SentPart } from "../../../multipart/write-form.ts";
import { fitVideo } from "../../../operations/videos/fit-video.ts";
import type {
  ListedVideo,
  ProviderJob,
  VideoCapabilities,
  VideoProvider,
  VideoRequest,
  VideoState,
} from "../../../operations/videos/video.ts";
import { AnswerFault, type DialectName, type UpstreamRequest } from "../../exchange.ts";
import { readError } from "../errors.ts";

const capabilities: VideoCapabilities = {
  seconds: carried,
  size: carried,
  imageFile: carried,
  imageUrl: carried,
  remix: carried,
  otherFields: carried,
};

/** A hundred jobs, each with its prompt. */
const maxListBytes = 16 << 20;

/** OpenAI's videos, and every server that has them. */
export function videoProvider(dialect: DialectName): VideoProvider {
  const asking = (path: string): UpstreamRequest => ({ dialect, method: "GET", path, headers: {}, body: null });
  const pathOf = ({ id }: ProviderJob) => `/videos/${encodeURIComponent(id)}`;
  return {
    capabilities,
    submit(request, model) {
      const warnings = fitVideo(request, capabilities);
      const { remixOf } = request;
      return {
        request:
          remixOf === null ? submitRequest(dialect, request, model) : remixRequest(dialect, request, remixOf.job),
        warnings,
        readError,
        readSubmitted: (body) => ({ id: idOf(body), model, data: {} }),
      };
    },
    poll: (job) => ({
      request: asking(pathOf(job)),
      readError,
      read: (body) => readState(body, asking(`${pathOf(job)}/content`)),
      ofError: (_body, status) => (status === 404 ? { status: "unknown" } : null),
    }),
    // OpenAI has no way to cancel; a job that is deleted is not needed any more.
    cancel: (job) => ({ ...asking(pathOf(job)), method: "DELETE" }),
    picture: (job, picture) => asking(`${pathOf(job)}/content?variant=${picture}`),
    list: (model) => ({
      request: asking("/videos?limit=100&order=desc"),
      maxAnswerBytes: maxListBytes,
      readError,
      read: (body) => readList(body, model),
      // A server that has no list.
      ofError: (_body, status) => (status === 404 || status === 405 || status === 501 ? [] : null),
    }),
  };
}

function submitRequest(dialect: DialectName, request: VideoRequest, model: string): UpstreamRequest {
  const { prompt, seconds, size, image, otherFields, jobId } = request;
  const parts: SentPart[] = [
    { name: "model", value: model },
    { name: "prompt", value: prompt },
  ];
  if (seconds !== undefined) parts.push({ name: "seconds", value: String(seconds) });
  if (size !== undefined) parts.push({ name: "size", value: size });
  if (image?.kind === "url") parts.push({ name: "input_reference[image_url]", value: image.url });
  if (image?.kind === "file") {
    const { filename, contentType, size: length, stream } = image;
    parts.push({ name: "input_reference", filename, contentType, size: length, stream });
  }
  for (const [name, value] of Object.entries(otherFields)) {
    if (value !== null) parts.push({ name, value: typeof value === "string" ? value : JSON.stringify(value) });
  }
  const form = formBody(parts);
  const headers = { "content-type": form.contentType, "idempotency-key": jobId };
  return { dialect, method: "POST", path: "/videos", headers, body: form.body };
}

function remixRequest(dialect: DialectName, { prompt, jobId }: VideoRequest, { id }: ProviderJob): UpstreamRequest {
  return {
    dialect,
    method: "POST",
    path: `/videos/${encodeURIComponent(id)}/remix`,
    headers: { "content-type": "application/json", "idempotency-key": jobId },
    body: JSON.stringify({ prompt }),
  };
}

function objectOf(body: unknown): JsonObject {
  if (isObject(body)) return body;
  throw new AnswerFault("The provider's answer is not an object.");
}

function idOf(body: unknown): string {
  const { id } = objectOf(body);
  if (isId(id)) return id;
  throw new AnswerFault("The provider's job has no id.");
}

/** It becomes a part of a path. */
function isId(value: unknown): value is string {
  return typeof value === "string" && /^[\x21-\x7e]{1,512}$/.test(value) && !/^\.{1,2}$/.test(value);
}

function readState(body: unknown, content: UpstreamRequest): VideoState {
  const job = objectOf(body);
  const { status, progress, seconds, size, error } = job;
  switch (status) {
    case "queued":
    case "in_progress":
      return { status, progress: typeof progress === "number" ? progress : null };
    case "completed":
      return {
        status,
        film: { kind: "request", request: content },
        // What was asked for, in the provider's words: the film itself is measured.
        seconds: null,
        size: typeof size === "string" && /^\d{1,5}x\d{1,5}$/.test(size) ? size : null,
        usage: { quantities: {}, input: "none", output: "none", reasoning: null, raw: rawOf({ seconds, size }) },
      };
    case "failed":
    case "cancelled": {
      const said = isObject(error) ? error : {};
      return { status: "failed", code: stringOrNull(said.code), message: stringOrNull(said.message) };
    }
    default:
      throw new AnswerFault("The provider's job has no status that is known.");
  }
}

/** What is short enough to be kept. */
function rawOf(fields: JsonObject): JsonObject {
  const isShort = (value: unknown) => typeof value === "number" || (typeof value === "string" && value.length <= 64);
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isShort(value)));
}

function readList(body: unknown, model: string): ListedVideo[] {
  return listOrEmpty(objectOf(body).data).flatMap((entry) => {
    if (!isObject(entry) || !isId(entry.id) || typeof entry.created_at !== "number") return [];
    const named = stringOrNull(entry.model);
    if (named !== null && named !== model) return [];
    const job = { id: entry.id, model, data: {} };
    return [{ job, createdAt: entry.created_at * 1_000 + 999, prompt: stringOrNull(entry.prompt) }];
  });
}
