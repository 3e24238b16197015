import type { RequestHeaders } from "../../http/headers.ts";
import { withMembers } from "../../json/top-level.ts";
import { conversationOperation } from "../../operations/conversation.ts";
import type { ErrorFormat } from "../../operations/operation.ts";
import { isEnd } from "../../conversation/stream.ts";
import type { PassThroughForm } from "../exchanges/pass-through.ts";
import { messagesCodec } from "./codec.ts";
import { encodeMessagesError } from "./errors.ts";
import { messagesFiles } from "./request/files.ts";

/** On Anthropic's paths. */
export const messagesErrorFormat: ErrorFormat = { errorBody: encodeMessagesError, idHeader: "request-id" };

/** Where the caller names no version of the API. */
const defaultVersion = "2023-06-01";
/** Headers of the caller's that change what the vendor does, and so go up as they came. */
const passedHeaders = ["anthropic-version", "anthropic-beta", "anthropic-user-profile-id"];

/** `POST /v1/messages` */
export const messages = conversationOperation({
  endpoint: "messages",
  paths: ["/v1/messages"],
  codec: messagesCodec,
  files: messagesFiles,
  keyHeader: "x-api-key",
  errorFormat: messagesErrorFormat,
  outputLimit: { names: ["max_tokens"] },
  upstream: (input, target) => ({
    dialect: "anthropic-messages",
    method: "POST",
    path: "/v1/messages",
    headers: upstreamHeaders(input.headers),
    body: withMembers(input.text, input.members, { model: JSON.stringify(target.model) }),
  }),
  form: () => form,
});

const form: PassThroughForm = {
  disposition: (_data, events) => (events.some(isEnd) ? "hold" : "pass"),
};

/** The headers of a request that passes through, as its caller's headers ask. */
export function upstreamHeaders(headers: RequestHeaders): Record<string, string> {
  const passed = passedHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { "content-type": "application/json", "anthropic-version": defaultVersion, ...Object.fromEntries(passed) };
}
