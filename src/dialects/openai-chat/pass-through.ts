import { withMembers } from "../../json/top-level.ts";
import { isObject } from "../../json/values.ts";
import type { AnswerCollector, AnswerStream, Exchange, Observation } from "../exchange.ts";
import { completionAsChunks } from "./as-stream.ts";
import { createChunkCollector } from "./collect.ts";
import { readError } from "./errors.ts";
import type { ChatRequest } from "./request.ts";
import { chatStreamEnds } from "./stream-ends.ts";
import { createChatStreamReader, createPassThroughStream } from "./stream.ts";
import { observeCompletion, readCompletion } from "./whole.ts";

/**
 * Puts a chat request to a provider that speaks the same dialect. The body goes up as it was written, except the values
 * of `model` and, for streams, `stream_options`: usage is always asked for, since the bill needs it.
 */
export function passThroughChat(request: ChatRequest, upstreamModel: string): Exchange {
  return {
    request: {
      dialect: "openai-chat",
      method: "POST",
      path: "/chat/completions",
      headers: { "content-type": "application/json" },
      body: upstreamBody(request, upstreamModel),
    },
    warnings: [],
    readWhole(body) {
      return { body, observation: observeCompletion(readCompletion(body)) };
    },
    openStream: () => createPassThroughStream(request.includeUsage),
    wholeAsStream(body) {
      const completion = readCompletion(body);
      return {
        bytes: completionAsChunks(completion, request.includeUsage),
        stream: saidStream(observeCompletion(completion)),
      };
    },
    openCollector: createChatCollector,
    readError,
  };
}

function upstreamBody(request: ChatRequest, upstreamModel: string): string {
  const replacements: Record<string, string> = {};
  // Where a member stands twice, all are made the same: the provider may read another one than the gateway did.
  if (upstreamModel !== request.model || isRepeated(request, "model"))
    replacements.model = JSON.stringify(upstreamModel);
  if (request.stream && (!request.includeUsage || isRepeated(request, "stream_options"))) {
    const options = request.body.stream_options;
    replacements.stream_options = JSON.stringify({ ...(isObject(options) ? options : {}), include_usage: true });
  }
  return withMembers(request.text, request.members, replacements);
}

/** A stream of which everything has been said already. */
function saidStream(observation: Observation): AnswerStream {
  return { push: () => null, end: () => null, started: true, finished: true, observation, ...chatStreamEnds };
}

function isRepeated({ members }: ChatRequest, key: string): boolean {
  return members.filter((member) => member.key === key).length > 1;
}

function createChatCollector(): AnswerCollector {
  const reader = createChatStreamReader();
  const collector = createChunkCollector();
  return {
    push(event) {
      const { chunk } = reader.read(event);
      if (chunk) collector.add(chunk);
      return null;
    },
    end() {
      reader.end();
      return null;
    },
    answer: () => ({ body: JSON.stringify(collector.completion()), observation: reader.observation }),
    started: true,
    get finished() {
      return reader.done;
    },
    observation: reader.observation,
  };
}
