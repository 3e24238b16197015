import type { Dialect } from "../dialect.ts";
import { readModelData } from "../model-list.ts";
import { messagesCodec } from "./codec.ts";
import { countTokens } from "./count-tokens.ts";
import { messages, messagesErrorFormat } from "./messages.ts";

/** Anthropic's Messages. */
export const anthropicMessages: Dialect = {
  name: "anthropic-messages",
  title: "Anthropic Messages",
  defaultBaseUrl: "https://api.anthropic.com",
  signing: { in: "header", header: (key) => ["x-api-key", key] },
  modelList: { path: "/v1/models?limit=1000", headers: { "anthropic-version": "2023-06-01" }, read: readModelData },
  keyHeader: "x-api-key",
  errorFormat: messagesErrorFormat,
  clients: { paths: ["/v1/messages"], header: "anthropic-version" },
  readError: (body) => messagesCodec.provider.decodeError(body),
  operations: [messages, countTokens],
  provides: { conversation: messagesCodec },
};
