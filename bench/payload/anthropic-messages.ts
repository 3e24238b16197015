import type { Answers, Asking } from "./dialect.ts";
import { answerModel, answerText, instructions, namedEvent, question, streamedTexts, tokens } from "./words.ts";

const inputUsage = {
  input_tokens: tokens.input,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
};

export const messagesAnswers: Answers = { whole: answer(), pieces: pieces() };

export const messagesAsking: Asking = {
  path: () => "/v1/messages",
  headers: (key) => ({ "content-type": "application/json", "x-api-key": key, "anthropic-version": "2023-06-01" }),
  body: (model, answering) => {
    const messages = [{ role: "user", content: question }];
    const streaming = answering === "json" ? {} : { stream: true };
    return JSON.stringify({ model, max_tokens: 1024, system: instructions, messages, ...streaming });
  },
};

function answer(): string {
  return JSON.stringify({
    ...head([{ type: "text", text: answerText }], "end_turn"),
    usage: { ...inputUsage, output_tokens: tokens.output, service_tier: "standard" },
  });
}

/** The events that open and close the answer travel with the pieces beside them, as they do in life. */
function pieces(): string[] {
  const usage = { ...inputUsage, output_tokens: 1, service_tier: "standard" };
  const start = [
    namedEvent({ type: "message_start", message: { ...head([], null), usage } }),
    namedEvent({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
    namedEvent({ type: "ping" }),
  ];
  const texts = streamedTexts.map((text) =>
    namedEvent({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } }),
  );
  const stop = namedEvent({ type: "content_block_stop", index: 0 });
  const end = [
    namedEvent({
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: tokens.output },
    }),
    namedEvent({ type: "message_stop" }),
  ];
  const [first = "", ...others] = texts;
  return [start.join("") + first, ...others, stop, end.join("")];
}

function head(content: readonly object[], stopReason: string | null) {
  return {
    model: answerModel,
    id: "msg_bench0123456789abcdef",
    type: "message",
    role: "assistant",
    content,
    stop_reason: stopReason,
    stop_sequence: null,
  };
}
