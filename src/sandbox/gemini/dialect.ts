import type { Call, Dialect, Operation } from "../dialect.ts";
import { readCountCall } from "./count-call.ts";
import { readBatchEmbedCall, readEmbedCall } from "./embed-call.ts";
import { writeGeminiError } from "./errors.ts";
import { readGenerateCall } from "./generate-call.ts";
import { submitVideo, videoRoute } from "./videos.ts";
import { describeModel, listModels } from "./models.ts";
import { readPredictCall } from "./predict-call.ts";

const modelPath = /^\/v1(?:beta)?\/models\/([^:]+)(?::([A-Za-z]+))?$/;

/** The operations of a model, by the suffix of its path. `alt=sse` selects the framing of a stream. */
const actions: Readonly<Record<string, (body: string, model: string, query: URLSearchParams) => Call>> = {
  generateContent: (body, model) => readGenerateCall(body, model, null),
  streamGenerateContent: (body, model, query) =>
    readGenerateCall(body, model, { form: query.get("alt") === "sse" ? undefined : "array-item" }),
  countTokens: readCountCall,
  embedContent: readEmbedCall,
  batchEmbedContents: readBatchEmbedCall,
  predict: readPredictCall,
};

/** Google's Gemini API. */
export const gemini: Dialect = {
  name: "gemini",

  route(method, path) {
    if (path === "/v1beta/models" && method === "GET") return { kind: "read", answer: listModels };
    const video = videoRoute(method, path);
    if (video !== null) return video;
    const [, name = "", action] = modelPath.exec(path) ?? [];
    if (name === "") return path.startsWith("/v1beta/") ? notFound : null;
    const model = decodeURIComponent(name);
    if (action === undefined && method === "GET") {
      return { kind: "read", answer: (catalog) => describeModel(model, catalog) };
    }
    if (action === "predictLongRunning" && method === "POST") return { kind: "serve", serve: submitVideo(model) };
    const read = method === "POST" && action !== undefined ? actions[action] : undefined;
    if (read === undefined) return notFound;
    return { kind: "generate", read: (body, _memory, query) => read(body, model, query) };
  },

  credential(headers, query) {
    const bearer = /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1];
    return headers["x-goog-api-key"] ?? query.get("key") ?? bearer ?? null;
  },

  headers() {
    return { server: "scaffolding on HTTPServer2", "server-timing": "gfet4t7; dur=1" };
  },

  writeError: writeGeminiError,
};

const notFound: Operation = {
  kind: "refuse",
  failure: { status: 404, message: "The requested URL was not found on this server.", code: null, param: null },
};
