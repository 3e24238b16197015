import type { Call } from "../dialect.ts";
import type { JsonObject } from "../json.ts";
import type { Memory } from "../memory.ts";
import { chatError } from "../openai-chat/errors.ts";
import { parseBody } from "../openai-chat/parse-body.ts";
import { checkRequest } from "./check-request.ts";
import { readInput } from "./read-input.ts";
import { readPrompt } from "./read-prompt.ts";
import { keepResponse } from "./stored-response.ts";
import { wireOptionsOf } from "./write-items.ts";
import { writeEmptyResponse, writeResponse } from "./write-response.ts";
import { writeResponsesStream } from "./write-stream.ts";

/** Reads a request for a response. Throws OpenAI's error if it is invalid. */
export function readResponsesCall(text: string, memory: Memory): Call {
  const body = parseBody(text);
  checkRequest(body);
  const items = readInput(body, memory);
  const wire = wireOptionsOf(body);
  const keep = (response: JsonObject) => {
    if (body["store"] !== false) keepResponse({ response, input: withIds(items, String(response["id"])) }, memory);
    return response;
  };
  return {
    prompt: readPrompt(body, items),
    stream: body["stream"] === true,
    directives: body["sandbox"],
    check() {},
    writeJson: (reply, script) => JSON.stringify(keep(writeResponse(reply, script, body, wire))),
    streamContentType: "text/event-stream; charset=utf-8",
    writeStream(reply, script) {
      const whole = keep(writeResponse(reply, script, body, wire));
      const untold = script.no_done === true || script.finish_reason === null;
      return writeResponsesStream(reply, writeEmptyResponse(reply, body), untold ? null : whole, wire);
    },
    errorFrame: (failure) => {
      const error = chatError(failure) as JsonObject;
      return { event: "error", data: JSON.stringify({ type: "error", sequence_number: 0, ...error }) };
    },
  };
}

function withIds(items: readonly JsonObject[], responseId: string): JsonObject[] {
  return items.map((item, index) => {
    const content = item["content"];
    const long = typeof content === "string" && item["role"] !== "assistant";
    return {
      id: `item_${responseId.replace(/^resp_/, "")}${index}`,
      ...item,
      type: item["type"] ?? "message",
      ...(long ? { content: [{ type: "input_text", text: content }] } : {}),
    };
  });
}
