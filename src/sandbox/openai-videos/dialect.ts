import type { Dialect, Operation } from "../dialect.ts";
import { addJob, advanceJob, behavioursOf, cancelJob, contentOf, findJob, jobsIn } from "../film/video-jobs.ts";
import { readSize, submitScript, type VideoJob } from "../film/video-jobs.ts";
import type { Memory } from "../memory.ts";
import { openaiChat } from "../openai-chat/dialect.ts";
import { draw } from "../pictures/draw.ts";
import { writePng } from "../pictures/png.ts";
import { Refusal } from "../refusal.ts";
import { readVideoFields } from "./read-fields.ts";

const jobPath = /^\/v1\/videos\/([^/]+)(?:\/(content|remix))?$/;
const seconds: ReadonlySet<string> = new Set(["4", "8", "12"]);
/** How many pictures stand beside each other in the variants of a film that are none. */
const picturesIn: ReadonlyMap<string, number> = new Map([
  ["thumbnail", 1],
  ["spritesheet", 4],
]);
const sizes: ReadonlySet<string> = new Set(["720x1280", "1280x720", "1024x1792", "1792x1024"]);

/** OpenAI's videos. */
export const openaiVideos: Dialect = {
  ...openaiChat,
  name: "openai-videos",

  route(method, path) {
    if (path === "/v1/videos" && method === "POST") return { kind: "serve", serve: createVideo };
    if (path === "/v1/videos" && method === "GET") {
      return { kind: "read", answer: (_catalog, memory, query) => listVideos(memory, query) };
    }
    const [, id, part] = jobPath.exec(path) ?? [];
    if (id === undefined) return null;
    if (part === "remix" && method === "POST") return { kind: "serve", serve: (asked) => remix(asked, id) };
    if (part === "content" && method === "GET")
      return { kind: "serve", serve: ({ memory, query }) => content(memory, id, query) };
    if (part === undefined && method === "GET") {
      return {
        kind: "read",
        answer(_catalog, memory) {
          const job = found(memory, id);
          advanceJob(job);
          return view(job);
        },
      };
    }
    if (part === undefined && method === "DELETE") {
      return {
        kind: "read",
        answer(_catalog, memory) {
          cancelJob(found(memory, id));
          return { id, object: "video.deleted", deleted: true };
        },
      };
    }
    const message = `Not allowed to ${method} on ${path}.`;
    return { kind: "refuse", failure: { status: 405, message, code: null, param: null } };
  },
};

type Serve = Extract<Operation, { kind: "serve" }>["serve"];

const createVideo: Serve = async (asked) => {
  const fields = await readVideoFields(asked);
  const { model = "sora-2", prompt } = fields;
  if (prompt === undefined || prompt === "") throw invalid("prompt", "Missing required parameter: 'prompt'.");
  if (!asked.catalog.has(model)) {
    throw new Refusal(404, `The model '${model.slice(0, 200)}' does not exist.`, { code: "model_not_found" });
  }
  if (behavioursOf(prompt).has("refused"))
    throw invalid("prompt", "Your request was blocked by our moderation system.");
  const length = fields.seconds ?? "4";
  if (!seconds.has(length))
    throw invalid("seconds", `Invalid value: '${length}'. Supported values are: '4', '8', and '12'.`);
  const size = fields.size ?? "720x1280";
  const pixels = sizes.has(size) ? readSize(size) : null;
  if (pixels === null) throw invalid("size", `Invalid value: '${size}'.`);
  const id = `video_${crypto.randomUUID().replaceAll("-", "")}`;
  const job = addJob(asked.memory, { id, model, prompt, seconds: Number(length), ...pixels, remixedFrom: null });
  return { answer: json(view(job)), script: submitScript(prompt) };
};

const remix = async (asked: Parameters<Serve>[0], id: string): ReturnType<Serve> => {
  const source = found(asked.memory, id);
  if (source.status !== "completed") throw new Refusal(400, "The video is not completed.", { code: "not_completed" });
  const { prompt } = await readVideoFields(asked);
  if (prompt === undefined || prompt === "") throw invalid("prompt", "Missing required parameter: 'prompt'.");
  const { model, seconds: length, width, height } = source;
  const newId = `video_${crypto.randomUUID().replaceAll("-", "")}`;
  const job = addJob(asked.memory, { id: newId, model, prompt, seconds: length, width, height, remixedFrom: id });
  return { answer: json(view(job)), script: submitScript(prompt) };
};

const content = async (memory: Memory, id: string, query: URLSearchParams): ReturnType<Serve> => {
  const job = found(memory, id);
  if (job.status !== "completed") throw new Refusal(404, "Video is not ready yet.", { code: "video_not_ready" });
  const columns = picturesIn.get(query.get("variant") ?? "video");
  if (columns !== undefined) {
    const { prompt: text, width, height } = job;
    const png = writePng(draw({ text, width: columns * (width >> 2), height: height >> 2 }));
    return { answer: { status: 200, headers: { "content-type": "image/png" }, body: [png] }, script: {} };
  }
  const { bytes, contentType } = contentOf(job);
  return { answer: { status: 200, headers: { "content-type": contentType }, body: [bytes] }, script: {} };
};

function listVideos(memory: Memory, query: URLSearchParams): unknown {
  const jobs = jobsIn(memory).map(view);
  const data = (query.get("order") === "asc" ? jobs : jobs.toReversed()).slice(0, Number(query.get("limit") ?? 20));
  return { object: "list", data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: false };
}

function found(memory: Memory, id: string): VideoJob {
  const job = findJob(memory, id);
  if (job === null) throw new Refusal(404, `Video with id '${id.slice(0, 100)}' not found.`, { code: "not_found" });
  return job;
}

function view(job: VideoJob) {
  const code = behavioursOf(job.prompt).has("moderated") ? "moderation_blocked" : "video_generation_failed";
  return {
    id: job.id,
    object: "video",
    model: job.model,
    status: job.status,
    progress: job.progress,
    created_at: job.createdAt,
    completed_at: job.status === "completed" ? job.createdAt : null,
    expires_at: null,
    prompt: job.prompt,
    size: `${job.width}x${job.height}`,
    seconds: String(job.seconds),
    remixed_from_video_id: job.remixedFrom,
    error:
      job.status === "failed"
        ? { code: job.isCancelled ? "cancelled" : code, message: "The film could not be made." }
        : null,
  };
}

function json(body: unknown) {
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}

function invalid(param: string, message: string): Refusal {
  return new Refusal(400, message, { param, code: "invalid_value" });
}
