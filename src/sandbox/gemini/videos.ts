import type { Operation, ServedRequest } from "../dialect.ts";
import { addJob, advanceJob, behavioursOf, contentOf, findJob, submitScript } from "../film/video-jobs.ts";
import { isObject } from "../json.ts";
import type { Memory } from "../memory.ts";
import { Refusal } from "../refusal.ts";

type Serve = Extract<Operation, { kind: "serve" }>["serve"];

const sizes: Readonly<Record<string, readonly [width: number, height: number]>> = {
  "16:9 720p": [1280, 720],
  "9:16 720p": [720, 1280],
  "16:9 1080p": [1920, 1080],
  "9:16 1080p": [1080, 1920],
};
const parameterNames: ReadonlySet<string> = new Set([
  "aspectRatio",
  "resolution",
  "durationSeconds",
  "negativePrompt",
  "personGeneration",
  "sampleCount",
  "seed",
]);

const operationPath = /^\/v1beta\/(models\/[^/]+\/operations\/([\w-]+))$/;
const filePath = /^\/v1beta\/files\/([\w-]+):download$/;

/** Veo's paths, beside the submit; null if it is none of them. */
export function videoRoute(method: string, path: string): Operation | null {
  if (method !== "GET") return null;
  const [, name, id] = operationPath.exec(path) ?? [];
  if (name !== undefined && id !== undefined) {
    return {
      kind: "serve",
      serve: async ({ memory, headers }) => ({ answer: json(operation(memory, name, id, headers)), script: {} }),
    };
  }
  const [, file] = filePath.exec(path) ?? [];
  if (file === undefined) return null;
  return {
    kind: "serve",
    async serve({ memory, query }) {
      if (query.get("alt") !== "media") throw new Refusal(400, "The file is downloaded with alt=media.");
      const { bytes, contentType } = contentOf(found(memory, file));
      return { answer: { status: 200, headers: { "content-type": contentType }, body: [bytes] }, script: {} };
    },
  };
}

/** `:predictLongRunning` of a model. */
export function submitVideo(model: string): Serve {
  return async ({ body, catalog, memory }) => {
    if (!catalog.has(model))
      throw new Refusal(404, `models/${model.slice(0, 200)} is not found for API version v1beta.`);
    const request = parse(body);
    const [instance] = Array.isArray(request["instances"]) ? (request["instances"] as unknown[]) : [];
    const prompt = isObject(instance) ? instance["prompt"] : undefined;
    if (typeof prompt !== "string" || prompt === "") throw new Refusal(400, "Prompt must be provided.");
    if (behavioursOf(prompt).has("refused")) throw new Refusal(400, "The prompt could not be submitted.");
    const parameters = isObject(request["parameters"]) ? request["parameters"] : {};
    const unknown = Object.keys(parameters).find((name) => !parameterNames.has(name));
    if (unknown !== undefined) throw new Refusal(400, `\`${unknown.slice(0, 100)}\` isn't supported by this model.`);
    const seconds = parameters["durationSeconds"] ?? 8;
    if (typeof seconds !== "number" || seconds < 4 || seconds > 8) {
      throw new Refusal(
        400,
        "The number value for `durationSeconds` is out of bound. Please provide a value between 4 and 8.",
      );
    }
    const { aspectRatio = "16:9", resolution = "720p" } = parameters;
    const word =
      typeof aspectRatio === "string" && typeof resolution === "string" ? `${aspectRatio} ${resolution}` : "";
    const size = Object.hasOwn(sizes, word) ? sizes[word] : undefined;
    if (size === undefined) throw new Refusal(400, `The values ${word} are not supported together.`);
    const id = crypto.randomUUID().replaceAll("-", "").slice(0, 12);
    addJob(memory, { id, model, prompt, seconds, width: size[0], height: size[1], remixedFrom: null });
    return { answer: json({ name: `models/${model}/operations/${id}` }), script: submitScript(prompt) };
  };
}

function operation(memory: Memory, name: string, id: string, headers: ServedRequest["headers"]): unknown {
  const job = found(memory, id);
  advanceJob(job);
  if (job.status !== "completed" && job.status !== "failed") return { name };
  const behaviours = behavioursOf(job.prompt);
  const type = "type.googleapis.com/google.ai.generativelanguage.v1beta.PredictLongRunningResponse";
  const made = (response: object) => {
    return { name, done: true, response: { "@type": type, generateVideoResponse: response } };
  };
  if (behaviours.has("moderated")) {
    return made({
      raiMediaFilteredCount: 1,
      raiMediaFilteredReasons: ["The prompt was blocked by our safety filters."],
    });
  }
  if (job.status === "failed") return { name, done: true, error: { code: 13, message: "Video generation failed." } };
  if (behaviours.has("base64")) {
    const video = { encodedVideo: Buffer.from(contentOf(job).bytes).toString("base64"), encoding: "video/mp4" };
    return made({ generatedSamples: [{ video }] });
  }
  const uri = `http://${headers["host"] ?? "127.0.0.1"}/v1beta/files/${id}:download?alt=media`;
  return made({ generatedSamples: [{ video: { uri } }] });
}

function found(memory: Memory, id: string) {
  const job = findJob(memory, id);
  if (job === null) throw new Refusal(404, "The requested operation was not found.");
  return job;
}

function parse(body: Uint8Array) {
  let request: unknown = null;
  try {
    request = JSON.parse(new TextDecoder().decode(body));
  } catch {
    // Refused below.
  }
  if (isObject(request)) return request;
  throw new Refusal(400, "Invalid JSON payload received.");
}

function json(body: unknown) {
  return { status: 200, headers: { "content-type": "application/json; charset=UTF-8" }, body: JSON.stringify(body) };
}
