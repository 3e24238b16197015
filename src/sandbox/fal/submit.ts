import type { Call } from "../dialect.ts";
import { checkInput } from "../jobs/check-input.ts";
import { beginJob, scriptedFailure, type JobFailure, type JobWebhook } from "../jobs/job.ts";
import { jobFiles, type MadeKind } from "../jobs/job-files.ts";
import { jobCall } from "../jobs/job-call.ts";
import { type Pixels, pixelsOfRatio } from "../jobs/sizes.ts";
import { isObject, type JsonObject } from "../json.ts";
import type { Memory } from "../memory.ts";
import { Refusal } from "../refusal.ts";
import { isFilmApp, shapeOfApp } from "./apps.ts";
import { addressesOf } from "./queue.ts";

/** What a submit comes with. */
export interface SubmitFacts {
  /** Of the sandbox: addresses begin with it. */
  readonly origin: string;
  readonly webhook: JobWebhook | null;
}

/** Takes a job into the queue of an app. What is wrong with its input is found when it runs, as at the vendor. */
export function readSubmit(body: string, app: string, { origin, webhook }: SubmitFacts, memory: Memory): Call {
  const input = parse(body);
  if (app.includes("unknown")) throw new Refusal(404, `Application '${app}' not found`);
  const text = typeof input.prompt === "string" ? input.prompt : "";
  return jobCall(`fal/${app}`, text, (id, script = {}) => {
    const kind: MadeKind = isFilmApp(app) ? "film" : "picture";
    const asked = typeof input.num_images === "number" ? input.num_images : 1;
    const made = { kind, count: asked, text, pixels: pixelsOf(input), seconds: secondsOf(input) };
    const files = jobFiles(id, script, made);
    const failure = problemOf(input, app) ?? scriptedFailure(script);
    beginJob(memory, { id, vendor: "fal", model: app, input, script, files, failure, webhook });
    return { status: "IN_QUEUE", ...addressesOf(origin, app, id), queue_position: 0 };
  });
}

function parse(body: string): JsonObject {
  try {
    const input: unknown = JSON.parse(body);
    if (isObject(input)) return input;
  } catch {
    // Refused below.
  }
  throw new Refusal(422, "Input should be a valid dictionary", { param: "body" });
}

function problemOf(input: JsonObject, app: string): JobFailure | null {
  const problem = checkInput(input, shapeOfApp(app));
  if (problem === null) return null;
  return { status: 422, message: problem.message, code: problem.type, field: problem.field };
}

const presets: Readonly<Record<string, Pixels>> = {
  square_hd: { width: 1024, height: 1024 },
  square: { width: 512, height: 512 },
  portrait_4_3: { width: 768, height: 1024 },
  portrait_16_9: { width: 576, height: 1024 },
  landscape_4_3: { width: 1024, height: 768 },
  landscape_16_9: { width: 1024, height: 576 },
};
const landscape = { width: 1024, height: 768 };

function pixelsOf({ image_size: size, aspect_ratio: ratio }: JsonObject): Pixels {
  if (isObject(size) && typeof size.width === "number" && typeof size.height === "number") {
    return { width: Math.min(4096, size.width), height: Math.min(4096, size.height) };
  }
  if (typeof size === "string") return presets[size] ?? landscape;
  return (typeof ratio === "string" ? pixelsOfRatio(ratio) : null) ?? landscape;
}

function secondsOf({ duration }: JsonObject): number {
  if (typeof duration === "number") return duration;
  return typeof duration === "string" ? Number.parseInt(duration, 10) || 5 : 5;
}
