import type { Call, ServedRequest } from "../dialect.ts";
import { checkInput } from "../jobs/check-input.ts";
import { jobCall } from "../jobs/job-call.ts";
import { jobFiles } from "../jobs/job-files.ts";
import {
  beginJob,
  failsPoll,
  findJob,
  type Job,
  type JobState,
  listJobs,
  pollJob,
  scriptedFailure,
  stateOf,
} from "../jobs/job.ts";
import { pixelsOfRatio } from "../jobs/sizes.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Memory } from "../memory.ts";
import { Refusal } from "../refusal.ts";
import type { ScriptedAnswer } from "../wire/answer.ts";
import { replicateWebhook } from "./webhook.ts";
import { isFilmModel, makesOne, shapeOfModel } from "./models.ts";

const vendor = "replicate";
const membersOfRequest = ["input", "version", "webhook", "webhook_events_filter", "stream"];

/** What a request for a prediction comes with. */
export interface PredictionHeaders {
  /** Of the sandbox: addresses begin with it. */
  readonly origin: string;
  /** `wait`: the answer comes when the prediction has ended. */
  readonly waits: boolean;
}

/** Takes a prediction. @param model null if the request's `version` says which */
export function readPrediction(body: string, model: string | null, headers: PredictionHeaders, memory: Memory): Call {
  const request = parse(body);
  const unknown = Object.keys(request).find((name) => !membersOfRequest.includes(name));
  if (unknown !== undefined) throw invalid(unknown, `Additional property ${unknown} is not allowed`);
  const { input, version } = request;
  if (!isObject(input)) throw invalid("input", "input is required");
  if (model === null && typeof version !== "string") throw invalid("version", "version is required");
  const asked = model ?? String(version).split(":", 1)[0] ?? "";
  if (asked.includes("unknown")) throw new Refusal(404, "The requested resource could not be found.");
  // Inputs are checked before a prediction is made.
  const problem = checkInput(input, shapeOfModel(asked));
  if (problem !== null) throw invalid(`input.${problem.field}`, problem.message);
  const text = String(input.prompt);
  return jobCall(`replicate/${asked}`, text, (id, script = {}) => {
    const isFilm = isFilmModel(asked);
    const made = {
      kind: isFilm ? ("film" as const) : ("picture" as const),
      count: typeof input.num_outputs === "number" ? input.num_outputs : 1,
      text,
      pixels: pixelsOf(input),
      seconds: typeof input.duration === "number" ? input.duration : 5,
    };
    const files = jobFiles(id, script, made);
    const webhook = replicateWebhook(request.webhook, (ended) => predictionOf(ended, stateOf(ended), headers.origin));
    const job = beginJob(memory, {
      id,
      vendor,
      model: asked,
      input,
      script,
      files,
      failure: scriptedFailure(script),
      webhook,
    });
    // Who waits is answered at the end, unless that takes a minute.
    if (headers.waits && script.queued === undefined && script.running === undefined) job.polls = 2;
    return predictionOf(job, headers.waits ? pollJob(job) : stateOf(job), headers.origin);
  });
}

/** How a prediction is. */
export function answerPrediction(id: string, origin: string, { memory }: ServedRequest): ScriptedAnswer {
  const job = jobOf(id, memory);
  if (failsPoll(job)) return json(503, { detail: "Service unavailable", status: 503 });
  return json(200, predictionOf(job, pollJob(job), origin));
}

export function answerCancel(id: string, origin: string, { memory }: ServedRequest): ScriptedAnswer {
  const job = jobOf(id, memory);
  const state = stateOf(job);
  if (state === "queued" || state === "running") job.isCancelled = true;
  return json(200, predictionOf(job, stateOf(job), origin));
}

/** The newest predictions. */
export function answerList(origin: string, { memory }: ServedRequest): ScriptedAnswer {
  const results = listJobs(memory, vendor).map((job) => predictionOf(job, stateOf(job), origin));
  return json(200, { previous: null, next: null, results });
}

const statuses: Readonly<Record<JobState, string>> = {
  queued: "starting",
  running: "processing",
  succeeded: "succeeded",
  failed: "failed",
  cancelled: "canceled",
};

function predictionOf(job: Job, state: JobState, origin: string): JsonObject {
  const { id, model, input, files, failure, createdAt } = job;
  const made = files.map(({ path }) => origin + path);
  const isOver = state !== "queued" && state !== "running";
  const address = `${origin}/replicate/v1/predictions/${id}`;
  return {
    id,
    model,
    version: "hidden",
    input,
    logs: "",
    output: state === "succeeded" ? (makesOne(model) ? (made[0] ?? null) : made) : null,
    data_removed: false,
    error: state === "failed" ? (failure?.message ?? "") : null,
    source: "api",
    status: statuses[state],
    created_at: new Date(createdAt).toISOString(),
    started_at: state === "queued" ? null : new Date(createdAt).toISOString(),
    completed_at: isOver ? new Date(createdAt + 1_000).toISOString() : null,
    urls: { get: address, cancel: `${address}/cancel`, web: `https://replicate.com/p/${id}` },
    metrics: isOver ? { predict_time: 1, total_time: 1 } : {},
  };
}

function pixelsOf({ aspect_ratio: ratio, width, height }: JsonObject) {
  if (typeof width === "number" && typeof height === "number") return { width, height };
  return (typeof ratio === "string" ? pixelsOfRatio(ratio) : null) ?? { width: 1024, height: 1024 };
}

function jobOf(id: string, memory: Memory): Job {
  const job = findJob(memory, vendor, id);
  if (job === null) throw new Refusal(404, "The requested resource could not be found.");
  return job;
}

function parse(body: string): JsonObject {
  try {
    const request: unknown = JSON.parse(body);
    if (isObject(request)) return request;
  } catch {
    // Refused below.
  }
  throw invalid("body", "The body is not JSON");
}

function invalid(field: string, message: string): Refusal {
  return new Refusal(422, message, { param: field });
}

function json(status: number, body: unknown): ScriptedAnswer {
  const answer = { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return { answer, script: {} };
}
