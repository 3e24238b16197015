import type { Dialect } from "../dialect.ts";
import { only, openaiChat } from "../openai-chat/dialect.ts";
import { readCompactCall, readInputTokensCall } from "./derived-calls.ts";
import { readResponsesCall } from "./responses-call.ts";
import { deleteResponse, listInputItems, retrieveResponse } from "./stored-response.ts";

const storedPath = /^\/v1\/responses\/([^/]+)(\/input_items|\/cancel)?$/;

/** OpenAI's Responses API. */
export const openaiResponses: Dialect = {
  ...openaiChat,
  name: "openai-responses",

  route(method, path) {
    if (path === "/v1/responses") return only("POST", method, path, { kind: "generate", read: readResponsesCall });
    if (path === "/v1/responses/input_tokens") {
      return only("POST", method, path, { kind: "generate", read: readInputTokensCall });
    }
    if (path === "/v1/responses/compact")
      return only("POST", method, path, { kind: "generate", read: readCompactCall });
    const [, id = "", action] = storedPath.exec(path) ?? [];
    if (id === "") return null;
    if (action === "/input_items") {
      return only("GET", method, path, {
        kind: "read",
        answer: (_, memory, query) => listInputItems(id, memory, query),
      });
    }
    if (action === "/cancel") {
      const message = "Only responses created with background=true can be cancelled.";
      return { kind: "refuse", failure: { status: 400, message, code: null, param: null } };
    }
    if (method === "DELETE") return { kind: "read", answer: (_, memory) => deleteResponse(id, memory) };
    return only("GET", method, path, { kind: "read", answer: (_, memory) => retrieveResponse(id, memory) });
  },
};
