import type { JsonObject } from "../../json/values.ts";
import { AnswerFault, type CallSteps, type UpstreamRequest } from "../exchange.ts";
import { parseJobAnswer, pollWaits } from "../jobs/job-answer.ts";

/** A job in the queue of an app. */
export interface QueuedJob {
  readonly app: string;
  readonly id: string;
}

const namespaces: ReadonlySet<string> = new Set(["workflows", "comfy"]);

/** Puts a job into the queue of an app. @param webhookUrl where its end is told; null: nowhere */
export function submitRequest(
  app: string,
  body: UpstreamRequest["body"],
  webhookUrl: string | null = null,
): UpstreamRequest {
  const query = webhookUrl === null ? "" : `?fal_webhook=${encodeURIComponent(webhookUrl)}`;
  return { ...call("POST", `/${encodeApp(app)}${query}`), headers: { "content-type": "application/json" }, body };
}

export const statusRequest = (job: QueuedJob): UpstreamRequest => call("GET", `${pathOf(job)}/status`);
export const resultRequest = (job: QueuedJob): UpstreamRequest => call("GET", pathOf(job));
export const cancelRequest = (job: QueuedJob): UpstreamRequest => call("PUT", `${pathOf(job)}/cancel`);

/** It becomes a part of a path. */
export function isJobId(id: unknown): id is string {
  return typeof id === "string" && /^[\w-]{1,100}$/.test(id);
}

/** The id of a job that was submitted. Throws an `AnswerFault` if the answer has none. */
export function readJobId({ request_id: id }: JsonObject): string {
  if (isJobId(id)) return id;
  throw new AnswerFault("The queue's answer has no id of a request.");
}

/** Submits a job, asks for it until it has ended, and fetches its result. */
export function queueSteps(app: string): CallSteps {
  const wait = pollWaits();
  let job: QueuedJob | null = null;
  let hasEnded = false;
  return {
    next(body) {
      if (hasEnded) return null;
      const answer = parseJobAnswer(body);
      if (job === null) {
        job = { app, id: readJobId(answer) };
        return { request: statusRequest(job), afterMs: wait() };
      }
      hasEnded = answer.status === "COMPLETED";
      return hasEnded ? { request: resultRequest(job), afterMs: 0 } : { request: statusRequest(job), afterMs: wait() };
    },
    cancel: () => (job === null || hasEnded ? null : cancelRequest(job)),
  };
}

/** Jobs are asked for under the app alone, without the path of the model within it. */
function pathOf({ app, id }: QueuedJob): string {
  const parts = app.split("/");
  const owned = parts.slice(0, namespaces.has(parts[0] ?? "") ? 3 : 2).join("/");
  return `/${encodeApp(owned)}/requests/${id}`;
}

function encodeApp(app: string): string {
  return app.split("/").map(encodeURIComponent).join("/");
}

function call(method: UpstreamRequest["method"], path: string): UpstreamRequest {
  return { dialect: "fal", method, path, headers: {}, body: null };
}
