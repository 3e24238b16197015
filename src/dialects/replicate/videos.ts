import { isObject, type JsonObject, listOrEmpty, stringOrNull } from "../../json/values.ts";
import type { ListedVideo, VideoProvider, VideoState } from "../../operations/videos/video.ts";
import { AnswerFault } from "../exchange.ts";
import { JobBody } from "../jobs/job-body.ts";
import { filmCapabilities, type FilmInput, filmInputOf, fitFilm } from "../jobs/job-films.ts";
import { faultOfPrediction, readReplicateError } from "./errors.ts";
import {
  cancelRequest,
  createPath,
  createRequest,
  isPredictionId,
  listRequest,
  readPredictionId,
  readRequest,
} from "./predictions.ts";
import { readReplicateWebhook } from "./webhook.ts";

const wide = ["16:9", "9:16", "1:1"];

/** What models take, by their names. The first that fits counts. */
const families: readonly (readonly [models: RegExp, input: FilmInput])[] = [
  [/\/veo/, { duration: "number", ratios: ["16:9", "9:16"], resolutions: ["720p", "1080p"], image: "image" }],
  [/\/kling/, { duration: "number", ratios: wide, resolutions: null, image: "start_image" }],
  [/hailuo|minimax/, { duration: "number", ratios: null, resolutions: null, image: "first_frame_image" }],
];

/** Models that are not known. */
const usual: FilmInput = {
  duration: "number",
  ratios: [...wide, "4:3", "3:4", "21:9"],
  resolutions: ["480p", "720p", "1080p"],
  image: "image",
};

/** A prediction repeats its input, with the picture that its film begins with. */
const maxPredictionBytes = 32 << 20;
const maxListBytes = 48 << 20;

/** Films by Replicate's predictions. A submit whose outcome is not known is looked for in its list. */
export const videoProvider: VideoProvider = {
  capabilities: filmCapabilities,
  submit(request, model, webhookUrl) {
    const family = families.find(([models]) => models.test(model))?.[1] ?? usual;
    const warnings = fitFilm(request, family);
    const body = new JobBody();
    const input = filmInputOf(request, family, body);
    const told = webhookUrl === null ? {} : { webhook: webhookUrl, webhook_events_filter: ["completed"] };
    return {
      request: createRequest(model, (fields) => body.write({ ...fields, ...told, input }, request.prompt), {
        waits: false,
      }),
      warnings,
      readError: readReplicateError,
      readSubmitted: (answer) => ({ id: readPredictionId(objectOf(answer)), model, data: {} }),
    };
  },
  poll: ({ id }) => ({
    request: readRequest(id),
    maxAnswerBytes: maxPredictionBytes,
    readError: readReplicateError,
    read: (answer) => readState(objectOf(answer)),
    ofError: (_answer, status) => (status === 404 ? { status: "unknown" } : null),
  }),
  cancel: ({ id }) => cancelRequest(id),
  list: (model) => ({
    request: listRequest,
    maxAnswerBytes: maxListBytes,
    readError: readReplicateError,
    read: (answer) => readList(objectOf(answer), model),
  }),
  readWebhook: readReplicateWebhook,
};

function readState(prediction: JsonObject): VideoState {
  switch (prediction.status) {
    case "starting":
      return { status: "queued", progress: null };
    case "processing":
      return { status: "in_progress", progress: null };
    case "succeeded":
      return readFilm(prediction);
    case "failed":
    case "canceled":
    case "aborted": {
      const { providerError } = faultOfPrediction(prediction);
      const code = providerError?.code === "invalid_prompt" ? "moderation_blocked" : null;
      return { status: "failed", code, message: providerError?.message ?? null };
    }
    default:
      throw new AnswerFault("The provider's prediction has no status that is known.");
  }
}

/** A film's address: alone, first of a list, or within an object. */
function readFilm({ output }: JsonObject): VideoState {
  const first: unknown = Array.isArray(output) ? output[0] : output;
  const url = isObject(first) ? (first.url ?? first.video) : first;
  if (typeof url !== "string") throw new AnswerFault("The provider's prediction has succeeded, and has no film.");
  return { status: "completed", film: { kind: "url", url }, seconds: null, size: null, usage: null };
}

function readList({ results }: JsonObject, model: string): ListedVideo[] {
  const { version } = createPath(model);
  return listOrEmpty(results).flatMap((entry) => {
    if (!isObject(entry) || !isPredictionId(entry.id)) return [];
    const isOfModel = version === null ? entry.model === model : entry.version === version;
    const createdAt = typeof entry.created_at === "string" ? Date.parse(entry.created_at) : Number.NaN;
    if (!isOfModel || Number.isNaN(createdAt)) return [];
    const prompt = isObject(entry.input) ? stringOrNull(entry.input.prompt) : null;
    return [{ job: { id: entry.id, model, data: {} }, createdAt, prompt }];
  });
}

function objectOf(answer: unknown): JsonObject {
  if (isObject(answer)) return answer;
  throw new AnswerFault("The provider's answer is no JSON object.");
}
