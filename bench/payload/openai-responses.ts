import type { Answers, Asking } from "./dialect.ts";
import {
  answerModel,
  answerText,
  answerTime,
  instructions,
  namedEvent,
  question,
  streamedTexts,
  tokens,
} from "./words.ts";

const itemId = "msg_bench0123456789abcdef";
const place = { item_id: itemId, output_index: 0, content_index: 0 };

export const responsesAnswers: Answers = {
  whole: JSON.stringify(response([item([textPart(answerText)])])),
  pieces: pieces(),
};

export const responsesAsking: Asking = {
  path: () => "/v1/responses",
  headers: (key) => ({ "content-type": "application/json", authorization: `Bearer ${key}` }),
  // Storing responses is not part of translation.
  body: (model, answering) => {
    const streaming = answering === "json" ? {} : { stream: true };
    return JSON.stringify({ model, instructions, input: question, store: false, ...streaming });
  },
};

/** The events that open and close the answer travel with the pieces beside them, as they do in life. */
function pieces(): string[] {
  let count = 0;
  const event = (type: string, fields: object) => namedEvent({ type, ...fields, sequence_number: count++ });
  const start = [
    event("response.created", { response: response(null) }),
    event("response.in_progress", { response: response(null) }),
    event("response.output_item.added", { output_index: 0, item: item(null) }),
    event("response.content_part.added", { ...place, part: textPart("") }),
  ];
  const texts = streamedTexts.map((delta) =>
    event("response.output_text.delta", { ...place, delta, logprobs: [], obfuscation: "k3jd92ms" }),
  );
  const text = streamedTexts.join("");
  const stop = [
    event("response.output_text.done", { ...place, text, logprobs: [] }),
    event("response.content_part.done", { ...place, part: textPart(text) }),
    event("response.output_item.done", { output_index: 0, item: item([textPart(text)]) }),
  ];
  const end = event("response.completed", { response: response([item([textPart(text)])]) });
  const [first = "", ...others] = texts;
  return [start.join("") + first, ...others, stop.join(""), end];
}

/** Null if it is in progress. */
function response(output: readonly object[] | null) {
  return {
    id: "resp_bench0123456789abcdef",
    object: "response",
    created_at: answerTime,
    status: output === null ? "in_progress" : "completed",
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model: answerModel,
    output: output ?? [],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    service_tier: "default",
    store: false,
    temperature: 1,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    truncation: "disabled",
    usage: output === null ? null : usage(),
    metadata: {},
  };
}

/** Null if it is in progress. */
function item(content: readonly object[] | null) {
  const status = content === null ? "in_progress" : "completed";
  return { id: itemId, type: "message", status, content: content ?? [], role: "assistant" };
}

function textPart(text: string) {
  return { type: "output_text", annotations: [], logprobs: [], text };
}

function usage() {
  return {
    input_tokens: tokens.input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: tokens.output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: tokens.input + tokens.output,
  };
}
