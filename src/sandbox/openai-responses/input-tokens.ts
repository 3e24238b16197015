import type { Call } from "../dialect.ts";
import type { Memory } from "../memory.ts";
import { parseBody } from "../openai-chat/parse-body.ts";
import { readResponsesCall } from "./responses-call.ts";

/** Reads `POST /v1/responses/input_tokens`: counts the input tokens without creating a response. */
export function readInputTokensCall(text: string, memory: Memory): Call {
  const { input = "", ...body } = parseBody(text);
  return {
    ...readResponsesCall(JSON.stringify({ ...body, input, stream: false, store: false }), memory),
    writeJson: (reply) => JSON.stringify({ object: "response.input_tokens", input_tokens: reply.tokens.input }),
  };
}
