import type { Dialect, Operation } from "../dialect.ts";
import { readChatCall } from "./chat-call.ts";
import { readCompletionsCall } from "./completions-call.ts";
import { writeChatError } from "./errors.ts";
import { describeModel, listModels } from "./models.ts";

const modelPath = /^\/v1\/models\/(.+)$/;

/** OpenAI's Chat Completions. */
export const openaiChat: Dialect = {
  name: "openai-chat",

  route(method, path, headers) {
    if (path === "/v1/chat/completions") {
      return only("POST", method, path, { kind: "generate", read: readChatCall });
    }
    if (path === "/v1/completions") return only("POST", method, path, { kind: "generate", read: readCompletionsCall });
    // Anthropic, ElevenLabs and Deepgram list their models at the same path.
    if (headers["anthropic-version"] !== undefined || headers["xi-api-key"] !== undefined) return null;
    if (headers["authorization"]?.startsWith("Token ") === true) return null;
    if (path === "/v1/models") return only("GET", method, path, { kind: "read", answer: listModels });
    const id = modelPath.exec(path)?.[1];
    // Google's newer SDKs use this path: `/v1/models/{model}:generateContent`.
    if (id === undefined || (method === "POST" && id.includes(":"))) return null;
    return only("GET", method, path, {
      kind: "read",
      answer: (catalog) => describeModel(decodeURIComponent(id), catalog),
    });
  },

  credential(headers) {
    return /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? null;
  },

  headers(requestId) {
    return {
      "openai-organization": "sandbox-organization",
      "openai-processing-ms": "1",
      "openai-version": "2020-10-01",
      "x-request-id": requestId,
    };
  },

  writeError: writeChatError,
};

/** The operation for its method; a 405 for others. */
export function only(allowed: string, method: string, path: string, operation: Operation): Operation {
  if (method === allowed) return operation;
  const message = `Not allowed to ${method} on ${path}. (HINT: use ${allowed}.)`;
  return { kind: "refuse", failure: { status: 405, message, code: null, param: null } };
}
