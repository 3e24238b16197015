import type { JsonObject } from "../json.ts";
import type { Memory } from "../memory.ts";
import type { JobScript } from "./job-script.ts";
import type { MadeFile } from "./made-files.ts";

export type JobState = "queued" | "running" | "succeeded" | "failed" | "cancelled";

/** A job of a vendor. */
export interface Job {
  readonly id: string;
  /** The vendor it belongs to, and the vendor's name of the model. */
  readonly vendor: string;
  readonly model: string;
  readonly input: JsonObject;
  readonly script: JobScript;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** What it makes if it succeeds. */
  readonly files: readonly MadeFile[];
  /** What it fails with; null if it does not. */
  readonly failure: JobFailure | null;
  /** Where its end is told; null: nowhere. */
  readonly webhook: JobWebhook | null;
  isTold: boolean;
  /** How often it was asked for. */
  polls: number;
  failedPolls: number;
  isCancelled: boolean;
}

/** Why a job fails. */
export interface JobFailure {
  readonly status: number;
  readonly message: string;
  readonly code: string | null;
  /** The field of its input that is wrong; null if none is. */
  readonly field: string | null;
}

/** How a vendor tells of the end of its jobs. */
export interface JobWebhook {
  readonly url: string;
  /** The body, when the job has ended. */
  body(job: Job): string;
  /** The headers that sign it. @param at seconds since 1970 */
  sign(job: Job, body: string, at: number): Record<string, string>;
}

export type NewJob = Pick<Job, "id" | "vendor" | "model" | "input" | "script" | "files" | "failure" | "webhook">;

/** Begins a job. */
export function beginJob(memory: Memory, job: NewJob): Job {
  const begun: Job = { ...job, createdAt: Date.now(), isTold: false, polls: 0, failedPolls: 0, isCancelled: false };
  memory.set(keyOf(job.vendor, job.id), begun);
  for (const file of job.files) memory.set(file.key, file);
  const newest = newestOf(memory, job.vendor);
  memory.set(listKey(job.vendor), [job.id, ...newest].slice(0, 100));
  const { done_ms: doneMs } = job.script;
  if (doneMs !== undefined && job.webhook !== null) setTimeout(() => tellEnd(begun), doneMs + 1).unref();
  return begun;
}

/** Null if there is none, or none any more. */
export function findJob(memory: Memory, vendor: string, id: string): Job | null {
  return (memory.get(keyOf(vendor, id)) as Job | undefined) ?? null;
}

/** The newest jobs first. */
export function listJobs(memory: Memory, vendor: string): readonly Job[] {
  return newestOf(memory, vendor).flatMap((id) => findJob(memory, vendor, id) ?? []);
}

/** Asks for a job: its state moves on with every question, so that nothing depends on time. */
export function pollJob(job: Job): JobState {
  job.polls += 1;
  tellEnd(job);
  return stateOf(job);
}

/** Tells of the end of a job that has ended, once, as its script asks. Nothing follows from what is answered. */
function tellEnd(job: Job): void {
  const { webhook, script } = job;
  const state = stateOf(job);
  if (webhook === null || job.isTold || state === "queued" || state === "running") return;
  job.isTold = true;
  const body = webhook.body(job);
  const signed = webhook.sign(job, body, Math.floor(Date.now() / 1_000));
  // What was signed is another body.
  const sent = script.webhook === "bad_signature" ? `${body} ` : body;
  const times = script.webhook === "twice" ? 2 : 1;
  for (let time = 0; time < times; time++) {
    const headers = { "content-type": "application/json", ...signed };
    fetch(webhook.url, { method: "POST", headers, body: sent, redirect: "error" }).then(
      (answer) => answer.arrayBuffer(),
      () => undefined,
    );
  }
}

/** The state of a job, without asking for it. */
export function stateOf({ script, polls, failure, isCancelled, createdAt }: Job): JobState {
  const { queued = 1, running = 1, never_done, done_after_cancel, done_ms } = script;
  if (isCancelled && done_after_cancel !== true) return "cancelled";
  const isOver = done_ms === undefined ? polls > queued + running : Date.now() >= createdAt + done_ms;
  if (isOver && never_done !== true) return failure === null ? "succeeded" : "failed";
  return polls > queued ? "running" : "queued";
}

/** Whether this question about a job fails, as its script asks. */
export function failsPoll(job: Job): boolean {
  if (job.failedPolls >= (job.script.failing_polls ?? 0)) return false;
  job.failedPolls += 1;
  return true;
}

/** The failure of a script; null if it has none. */
export function scriptedFailure({ fails, code }: JobScript): JobFailure | null {
  if (fails === undefined) return null;
  // What has a code is said of a field.
  return { status: 422, message: fails, code: code ?? null, field: code === undefined ? null : "prompt" };
}

function newestOf(memory: Memory, vendor: string): readonly string[] {
  return (memory.get(listKey(vendor)) as readonly string[] | undefined) ?? [];
}

const keyOf = (vendor: string, id: string) => `job ${vendor} ${id}`;
const listKey = (vendor: string) => `jobs ${vendor}`;
