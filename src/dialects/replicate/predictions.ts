import type { JsonObject } from "../../json/values.ts";
import { AnswerFault, type CallSteps, type UpstreamRequest } from "../exchange.ts";
import { parseJobAnswer, pollWaits } from "../jobs/job-answer.ts";

const ended: ReadonlySet<unknown> = new Set(["succeeded", "failed", "canceled", "aborted"]);

/** Seconds for which a new prediction is waited for. While it is, its id is not known, and it cannot be cancelled. */
const waitSeconds = 5;

/** Where predictions of a model are made. Its name is `owner/name`, `owner/name:version`, a version alone, or `deployments/owner/name`. */
export function createPath(model: string): { readonly path: string; readonly version: string | null } {
  const [name = "", version] = model.split(":", 2);
  if (version !== undefined) return { path: "/predictions", version };
  if (!name.includes("/")) return { path: "/predictions", version: name };
  const folder = name.startsWith("deployments/") ? "" : "models/";
  return { path: `/${folder}${name.split("/").map(encodeURIComponent).join("/")}/predictions`, version: null };
}

/** Makes a prediction. @param write makes the body, with the fields beside the input */
export function createRequest(
  model: string,
  write: (fields: JsonObject) => UpstreamRequest["body"],
  { waits }: { readonly waits: boolean },
): UpstreamRequest {
  const { path, version } = createPath(model);
  const headers = { "content-type": "application/json", ...(waits && { prefer: `wait=${waitSeconds}` }) };
  return { ...call("POST", path), headers, body: write(version === null ? {} : { version }) };
}

export const readRequest = (id: string): UpstreamRequest => call("GET", `/predictions/${id}`);
export const listRequest: UpstreamRequest = call("GET", "/predictions");
export const cancelRequest = (id: string): UpstreamRequest => call("POST", `/predictions/${id}/cancel`);

/** It becomes a part of a path. */
export function isPredictionId(id: unknown): id is string {
  return typeof id === "string" && /^[\w-]{1,100}$/.test(id);
}

/** The id of a prediction. Throws an `AnswerFault` if the answer has none. */
export function readPredictionId({ id }: JsonObject): string {
  if (isPredictionId(id)) return id;
  throw new AnswerFault("The answer has no id of a prediction.");
}

export function hasEnded({ status }: JsonObject): boolean {
  return ended.has(status);
}

/** Makes a prediction and asks for it until it has ended. */
export function predictionSteps(): CallSteps {
  const wait = pollWaits();
  let id: string | null = null;
  let isOver = false;
  return {
    next(body) {
      const prediction = parseJobAnswer(body);
      id ??= readPredictionId(prediction);
      isOver = hasEnded(prediction);
      return isOver ? null : { request: readRequest(id), afterMs: wait() };
    },
    cancel: () => (id === null || isOver ? null : cancelRequest(id)),
  };
}

function call(method: UpstreamRequest["method"], path: string): UpstreamRequest {
  return { dialect: "replicate", method, path, headers: {}, body: null };
}
