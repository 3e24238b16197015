import type { Call } from "../dialect.ts";
import { objectOrEmpty } from "../json.ts";
import type { Memory } from "../memory.ts";
import { parseBody } from "../openai-chat/parse-body.ts";
import { readResponsesCall } from "./responses-call.ts";
import { seal } from "./seal.ts";

/** Reads `POST /v1/responses/compact`: the conversation as one encrypted item, with the usual usage. */
export function readCompactCall(text: string, memory: Memory): Call {
  const call = readResponsesCall(JSON.stringify({ ...parseBody(text), stream: false, store: false }), memory);
  return {
    ...call,
    writeJson(reply, script) {
      const { id, created_at, usage } = objectOrEmpty(JSON.parse(call.writeJson(reply, script)));
      const item = { id: `cmp_${String(id)}`, type: "compaction", encrypted_content: seal(text) };
      return JSON.stringify({ id, object: "response.compaction", created_at, output: [item], usage });
    },
  };
}

/** Reads `POST /v1/responses/input_tokens`: counts the input tokens without creating a response. */
export function readInputTokensCall(text: string, memory: Memory): Call {
  const { input = "", ...body } = parseBody(text);
  return {
    ...readResponsesCall(JSON.stringify({ ...body, input, stream: false, store: false }), memory),
    writeJson: (reply) => JSON.stringify({ object: "response.input_tokens", input_tokens: reply.tokens.input }),
  };
}
