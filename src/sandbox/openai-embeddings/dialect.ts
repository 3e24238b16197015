import type { Dialect } from "../dialect.ts";
import { only, openaiChat } from "../openai-chat/dialect.ts";
import { readEmbeddingsCall } from "./embeddings-call.ts";

/** OpenAI's embeddings. */
export const openaiEmbeddings: Dialect = {
  ...openaiChat,
  name: "openai-embeddings",

  route(method, path) {
    if (path !== "/v1/embeddings") return null;
    return only("POST", method, path, { kind: "generate", read: readEmbeddingsCall });
  },
};
