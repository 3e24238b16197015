import { conversationOperation, type SentConversation } from "../../operations/conversation.ts";
import { refuseOtherCase } from "../../json/field-names.ts";
import { withMembers } from "../../json/top-level.ts";
import type { StreamEvent } from "../../conversation/stream.ts";
import { isObject, type JsonObject, listOrEmpty } from "../../json/values.ts";
import { isWebSearch } from "../../conversation/web-search/web-search-tool.ts";
import { dataEvent } from "../../sse/event.ts";
import type { PassThroughForm } from "../exchanges/pass-through.ts";
import { checkChatRequest } from "./check-request.ts";
import { chatCodec } from "./conversation/codec.ts";
import { chatFieldNames } from "./conversation/request/decode-request.ts";
import { isDone } from "./conversation/answer/decode-stream.ts";
import { openaiErrorFormat } from "./errors.ts";

const done = dataEvent("[DONE]");

/** `POST /v1/chat/completions` */
export const chat = conversationOperation({
  endpoint: "chat",
  paths: ["/v1/chat/completions"],
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  codec: chatCodec,
  mayConcernSearch: ({ web_search_options: options, tools }) =>
    (options !== undefined && options !== null) ||
    listOrEmpty(tools).some((tool) => isObject(tool) && isWebSearch({ vendor: "openai", value: tool })),
  check(body) {
    refuseOtherCase(body, chatFieldNames);
    return checkChatRequest(body);
  },
  changeable: new Set(["model", "stream_options"]),
  outputLimit: { names: ["max_completion_tokens", "max_tokens", "n_predict"] },
  upstream: (input, target) => ({
    dialect: "openai-chat",
    method: "POST",
    path: "/chat/completions",
    headers: jsonHeaders,
    body: chatUpstreamBody(input, target.model),
  }),
  form: ({ body }) => chatStreamForm(asksForUsage(body)),
});

const jsonHeaders = { "content-type": "application/json" };

/**
 * The body goes up as it was written, except the values of `model` and, for streams, `stream_options`: usage is always
 * asked for, since the bill needs it.
 */
export function chatUpstreamBody(
  { text, members, body, model, stream }: Pick<SentConversation, "text" | "members" | "body" | "model" | "stream">,
  upstreamModel: string,
): string {
  const asks = !stream || asksForUsage(body);
  if (upstreamModel === model && asks) return text;
  const replacements: Record<string, string> = { model: JSON.stringify(upstreamModel) };
  if (stream) {
    const options = body.stream_options;
    replacements.stream_options = JSON.stringify({ ...(isObject(options) ? options : {}), include_usage: true });
  }
  return withMembers(text, members, replacements);
}

/** Whether the caller asked for the usage chunk at the end of a stream. */
export function asksForUsage({ stream_options: options }: JsonObject): boolean {
  return isObject(options) && options.include_usage === true;
}

/** How a chat stream passes to a caller who asked for the usage chunk, or did not. */
export function chatStreamForm(asksForUsage: boolean): PassThroughForm {
  return asksForUsage ? withUsage : withoutUsage;
}

const withUsage: PassThroughForm = {
  disposition: (data) => (isDone(data) ? "hold" : "pass"),
  terminator: () => done,
};

const withoutUsage: PassThroughForm = {
  disposition: (data, events) => (isDone(data) ? "hold" : isUsageOnly(data, events) ? "drop" : "pass"),
  terminator: () => done,
};

const someChoice = /"choices"\s*:\s*\[\s*[^\s\]]/;

/** Whether a chunk says nothing but the usage, which this caller has not asked for. It is not parsed once more. */
function isUsageOnly(data: string, events: readonly StreamEvent[]): boolean {
  return events.some(({ type }) => type === "usage") && !someChoice.test(data);
}
