import { isObject, type JsonObject, stringOrNull } from "../../json/values.ts";
import type { VideoCall, VideoProvider, VideoRequest, VideoState } from "../../operations/videos/video.ts";
import { AnswerFault } from "../exchange.ts";
import { JobBody } from "../jobs/job-body.ts";
import { filmCapabilities, type FilmInput, filmInputOf, fitFilm } from "../jobs/job-films.ts";
import { readFalError } from "./errors.ts";
import { cancelRequest, type QueuedJob, readJobId, resultRequest, statusRequest, submitRequest } from "./queue.ts";
import { readFalWebhook } from "./webhook.ts";

const wide = ["16:9", "9:16", "1:1"];
const veo: FilmInput = {
  duration: "seconds",
  ratios: ["16:9", "9:16"],
  resolutions: ["720p", "1080p"],
  image: "image_url",
};

/** What models take, by their names. The first that fits counts. */
const families: readonly (readonly [models: RegExp, input: FilmInput])[] = [
  [/\/veo/, veo],
  [/\/sora/, { ...veo, duration: "number" }],
  [/\/kling/, { duration: "text", ratios: wide, resolutions: null, image: "image_url" }],
  [/hailuo|minimax/, { duration: "text", ratios: null, resolutions: null, image: "image_url" }],
  [/hunyuan|\/mochi/, { duration: null, ratios: wide, resolutions: null, image: "image_url" }],
];

/** Models that are not known. */
const usual: FilmInput = {
  duration: "text",
  ratios: [...wide, "4:3", "3:4", "21:9"],
  resolutions: ["480p", "720p", "1080p"],
  image: "image_url",
};

/** Statuses of a result that are about the gateway's own account, or the asking itself. */
const passing: ReadonlySet<number> = new Set([401, 402, 403, 404, 408, 429]);
/** Statuses with which an app fails in its own words. Others have to name what happened to it. */
const failing: ReadonlySet<number> = new Set([400, 422, 500]);

/** Films by jobs in fal's queues. It has no list of them, and no key that would make a submit idempotent. */
export const videoProvider: VideoProvider = {
  capabilities: filmCapabilities,
  submit(request, model, webhookUrl) {
    const family = families.find(([models]) => models.test(model))?.[1] ?? usual;
    const warnings = fitFilm(request, family);
    const app = appOf(request, model);
    const body = new JobBody();
    const input = filmInputOf(request, family, body);
    return {
      request: submitRequest(app, body.write(input, request.prompt), webhookUrl),
      warnings,
      readError: readFalError,
      readSubmitted: (answer) => ({ id: readJobId(objectOf(answer)), model, data: { app } }),
    };
  },
  poll({ id, model, data }) {
    const job = { id, app: stringOrNull(data.app) ?? model };
    return {
      request: statusRequest(job),
      readError: readFalError,
      read: (answer) => readStatus(objectOf(answer), job),
      ofError: (_answer, status) => (status === 404 ? { status: "unknown" } : null),
    };
  },
  cancel: ({ id, model, data }) => cancelRequest({ id, app: stringOrNull(data.app) ?? model }),
  list: null,
  readWebhook: readFalWebhook,
};

/** The app that begins with a picture, if there is one. */
function appOf({ image }: VideoRequest, model: string): string {
  if (image === null || /image-to-video|reference-to-video/.test(model)) return model;
  return model.includes("text-to-video") ? model.replace("text-to-video", "image-to-video") : `${model}/image-to-video`;
}

function readStatus({ status }: JsonObject, job: QueuedJob): VideoState | VideoCall<VideoState> {
  if (status === "IN_QUEUE") return { status: "queued", progress: null };
  if (status === "IN_PROGRESS") return { status: "in_progress", progress: null };
  if (status !== "COMPLETED") throw new AnswerFault("The provider's job has no status that is known.");
  return { request: resultRequest(job), readError: readFalError, read: readResult, ofError: failureOf };
}

function readResult(answer: unknown): VideoState {
  const { video } = objectOf(answer);
  const url = isObject(video) ? video.url : video;
  if (typeof url !== "string") throw new AnswerFault("The provider's job has ended, and has no film.");
  return { status: "completed", film: { kind: "url", url }, seconds: null, size: null, usage: null };
}

/**
 * A job that failed has an error in place of its result, of the app or of what runs it. Null for anything else, such as the page
 * of a proxy: then the job goes on until its deadline.
 */
function failureOf(answer: unknown, status: number): VideoState | null {
  const error = passing.has(status) || status < 400 ? null : readFalError(answer);
  if (error === null || (error.code === null && !failing.has(status))) return null;
  const code = error.code === "content_policy_violation" ? "moderation_blocked" : error.code;
  return { status: "failed", code, message: error.message };
}

function objectOf(answer: unknown): JsonObject {
  if (isObject(answer)) return answer;
  throw new AnswerFault("The provider's answer is no JSON object.");
}
