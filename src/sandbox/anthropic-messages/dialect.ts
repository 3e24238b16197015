import type { Dialect, Operation } from "../dialect.ts";
import { only } from "../openai-chat/dialect.ts";
import { writeMessagesError } from "./errors.ts";
import { readCountCall, readMessagesCall } from "./messages-call.ts";
import { describeModel, listModels } from "./models.ts";

const modelPath = /^\/v1\/models\/(.+)$/;

/** Anthropic Messages. Lists models for requests with an `anthropic-version`. */
export const anthropicMessages: Dialect = {
  name: "anthropic-messages",

  route(method, path, headers) {
    const generate = (read: typeof readMessagesCall): Operation =>
      only("POST", method, path, { kind: "generate", read: (body, memory) => read(body, headers, memory) });
    if (path === "/v1/messages") return generate(readMessagesCall);
    if (path === "/v1/messages/count_tokens") return generate(readCountCall);
    if (headers["anthropic-version"] === undefined) return null;
    if (path === "/v1/models") return only("GET", method, path, { kind: "read", answer: listModels });
    const id = modelPath.exec(path)?.[1];
    if (id === undefined) return null;
    const answer = (catalog: Parameters<typeof listModels>[0]) => describeModel(decodeURIComponent(id), catalog);
    return only("GET", method, path, { kind: "read", answer });
  },

  credential(headers) {
    return headers["x-api-key"] ?? /^Bearer +(\S+)$/i.exec(headers["authorization"] ?? "")?.[1] ?? null;
  },

  headers(requestId) {
    return { "anthropic-organization-id": "sandbox-organization", "request-id": requestId };
  },

  writeError: writeMessagesError,
};
