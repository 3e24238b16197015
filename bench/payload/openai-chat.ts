import type { Answers, Asking } from "./dialect.ts";
import {
  answerModel,
  answerText,
  answerTime,
  dataEvent,
  instructions,
  question,
  streamedTexts,
  tokens,
} from "./words.ts";

const usage = {
  prompt_tokens: tokens.input,
  completion_tokens: tokens.output,
  total_tokens: tokens.input + tokens.output,
};

export const chatAnswers: Answers = { whole: answer(), pieces: pieces() };

export const chatAsking: Asking = {
  path: () => "/v1/chat/completions",
  headers: (key) => ({ "content-type": "application/json", authorization: `Bearer ${key}` }),
  body: (model, answering) => {
    const messages = [
      { role: "system", content: instructions },
      { role: "user", content: question },
    ];
    return JSON.stringify({ model, messages, ...(answering === "json" ? {} : { stream: true }) });
  },
};

/** One chunk with text in it, as a held stream repeats it. */
export const heldChunk = chunk({ content: " still" });

function answer(): string {
  const message = { role: "assistant", content: answerText, refusal: null };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  return JSON.stringify({ ...head("chat.completion"), choices, usage });
}

function pieces(): string[] {
  const texts = streamedTexts.map((content, index) =>
    chunk(index === 0 ? { role: "assistant", content } : { content }),
  );
  const last = dataEvent({ ...head("chat.completion.chunk"), choices: [], usage });
  return [...texts, chunk({}, "stop"), `${last}data: [DONE]\n\n`];
}

function chunk(delta: Record<string, string>, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return dataEvent({ ...head("chat.completion.chunk"), choices, usage: null });
}

function head(object: string) {
  return { id: "chatcmpl-bench0123456789abcdef", object, created: answerTime, model: answerModel };
}
