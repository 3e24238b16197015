import type { ServedRequest } from "../dialect.ts";
import { failsPoll, findJob, pollJob, stateOf, type Job } from "../jobs/job.ts";
import { Refusal } from "../refusal.ts";
import type { ScriptedAnswer } from "../wire/answer.ts";
import { falError } from "./errors.ts";

const vendor = "fal";

/** The addresses of a job, which the vendor gives with all that it says of one. */
export function addressesOf(origin: string, app: string, id: string) {
  const [owner = "", alias = ""] = app.split("/");
  const address = `${origin}/fal/${owner}/${alias}/requests/${id}`;
  return {
    request_id: id,
    response_url: address,
    status_url: `${address}/status`,
    cancel_url: `${address}/cancel`,
  };
}

/** How a job is. */
export function answerStatus(id: string, origin: string, { memory, query }: ServedRequest): ScriptedAnswer {
  const job = jobOf(id, memory);
  if (failsPoll(job)) return json(503, { detail: "Service unavailable" });
  const state = pollJob(job);
  const addresses = addressesOf(origin, job.model, id);
  const logs = query.get("logs") === "1" ? [] : null;
  if (state === "queued") return json(202, { status: "IN_QUEUE", ...addresses, queue_position: 0, logs });
  if (state === "running") return json(202, { status: "IN_PROGRESS", ...addresses, logs });
  const { failure } = job;
  const error =
    state === "cancelled"
      ? { error: "Request was cancelled by the user", error_type: "request_cancelled" }
      : state === "failed"
        ? { error: failure?.message, error_type: failure?.code ?? "internal_error" }
        : {};
  return json(200, { status: "COMPLETED", ...addresses, logs, metrics: { inference_time: 0.5 }, ...error });
}

/** What a job has made, or what it failed with. */
export function answerResult(id: string, origin: string, { memory }: ServedRequest): ScriptedAnswer {
  const job = jobOf(id, memory);
  switch (stateOf(job)) {
    case "queued":
    case "running":
      return json(400, { detail: "Request is still in progress" });
    case "cancelled":
      return json(499, { detail: "Request was cancelled by the user" });
    case "failed": {
      const { status = 500, message = "", code = null, field = null } = job.failure ?? {};
      return json(status, falError({ message, code, param: field }));
    }
    case "succeeded":
      return json(200, resultOf(job, origin));
  }
}

/** Asks to cancel a job. */
export function answerCancel(id: string, { memory }: ServedRequest): ScriptedAnswer {
  const job = findJob(memory, vendor, id);
  if (job === null) return json(404, { status: "NOT_FOUND" });
  const state = stateOf(job);
  if (state === "succeeded" || state === "failed") return json(400, { status: "ALREADY_COMPLETED" });
  job.isCancelled = true;
  return json(202, { status: "CANCELLATION_REQUESTED" });
}

function resultOf({ files, input }: Job, origin: string): unknown {
  const made = files.map(({ path, contentType, pixels }, index) => ({
    url: origin + path,
    content_type: contentType,
    file_name: `output-${index}`,
    file_size: null,
    ...pixels,
  }));
  const seed = typeof input.seed === "number" ? input.seed : 42;
  if (files[0]?.contentType === "video/mp4") return { video: made[0], seed };
  return { images: made, timings: { inference: 0.5 }, seed, has_nsfw_concepts: files.map(() => false) };
}

function jobOf(id: string, memory: ServedRequest["memory"]): Job {
  const job = findJob(memory, vendor, id);
  if (job === null) throw new Refusal(404, "Request not found");
  return job;
}

function json(status: number, body: unknown): ScriptedAnswer {
  const answer = { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return { answer, script: {} };
}
