import type { Memory } from "../memory.ts";
import type { Script } from "../script/script.ts";
import { writeFilm } from "./write-film.ts";

/** A job of the sandbox. It comes on each time it is asked for. */
export interface VideoJob {
  readonly id: string;
  readonly model: string;
  readonly prompt: string;
  readonly seconds: number;
  readonly width: number;
  readonly height: number;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly remixedFrom: string | null;
  status: "queued" | "in_progress" | "completed" | "failed";
  progress: number;
  asked: number;
  isCancelled: boolean;
}

export type AskedJob = Pick<VideoJob, "id" | "model" | "prompt" | "seconds" | "width" | "height" | "remixedFrom">;

/** Behaviour on demand, as words in the prompt: `[video never]`, `[video polls 5]`. See README.md. */
const directive = /\[video ([a-z_]+)(?: (\d+(?:\.\d+)?))?\]/g;

/** The behaviours that a prompt asks for, with their numbers. */
export function behavioursOf(prompt: string): ReadonlyMap<string, number> {
  return new Map([...prompt.matchAll(directive)].map(([, word = "", count]) => [word, Number(count ?? 1)]));
}

const listKey = "video jobs";
const maxJobs = 1_000;

/** All jobs, oldest first. */
export function jobsIn(memory: Memory): VideoJob[] {
  const known = memory.get(listKey);
  // `addJob` put it there.
  return Array.isArray(known) ? (known as VideoJob[]) : [];
}

export function addJob(memory: Memory, asked: AskedJob): VideoJob {
  const job: VideoJob = {
    ...asked,
    createdAt: Math.floor(Date.now() / 1_000),
    status: "queued",
    progress: 0,
    asked: 0,
    isCancelled: false,
  };
  memory.set(listKey, [...jobsIn(memory), job].slice(-maxJobs));
  return job;
}

export function findJob(memory: Memory, id: string): VideoJob | null {
  return jobsIn(memory).find((job) => job.id === id) ?? null;
}

/** Cancels a job, unless it goes on all the same. */
export function cancelJob(job: VideoJob): void {
  if (job.status === "completed" || job.status === "failed") return;
  if (behavioursOf(job.prompt).has("ignores_cancel")) return;
  job.isCancelled = true;
  job.status = "failed";
}

/** Brings a job on: it is in progress when it is asked for first, and completed the second time. */
export function advanceJob(job: VideoJob): void {
  if (job.status === "completed" || job.status === "failed") return;
  const behaviours = behavioursOf(job.prompt);
  const polls = behaviours.get("polls") ?? 2;
  job.asked += 1;
  job.status = "in_progress";
  job.progress = Math.min(99, Math.floor((100 * job.asked) / polls));
  if (behaviours.has("never") || job.asked < polls) return;
  job.status = behaviours.has("fails") || behaviours.has("moderated") ? "failed" : "completed";
  job.progress = 100;
}

/** The film of a job, or what stands in its place. */
export function contentOf(job: VideoJob): { readonly contentType: string; readonly bytes: Uint8Array } {
  const behaviours = behavioursOf(job.prompt);
  if (behaviours.has("html")) {
    return { contentType: "video/mp4", bytes: new TextEncoder().encode("<html><body>Gone</body></html>") };
  }
  const film = writeFilm({ ...job, seconds: behaviours.get("seconds") ?? job.seconds });
  const bytes = behaviours.has("truncated") ? film.subarray(0, film.length >> 1) : film;
  return { contentType: "video/mp4", bytes };
}

/** How the answer to a submit is sent: a lost one is not answered, though its job goes on. */
export function submitScript(prompt: string): Script {
  return behavioursOf(prompt).has("lost") ? { fault: { kind: "close" } } : {};
}

/** `1280x720`; null if it is none. */
export function readSize(size: string): { readonly width: number; readonly height: number } | null {
  const [, width, height] = /^(\d{2,4})x(\d{2,4})$/.exec(size) ?? [];
  return width === undefined || height === undefined ? null : { width: Number(width), height: Number(height) };
}
