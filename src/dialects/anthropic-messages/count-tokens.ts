import { withMembers } from "../../json/top-level.ts";
import { countTokensOperation } from "../../operations/count-tokens.ts";
import { messagesCodec } from "./codec.ts";
import { messagesErrorFormat, upstreamHeaders } from "./messages.ts";
import { messagesFiles } from "./request/files.ts";

/** `POST /v1/messages/count_tokens` */
export const countTokens = countTokensOperation({
  endpoint: "messages",
  paths: ["/v1/messages/count_tokens"],
  codec: messagesCodec,
  files: messagesFiles,
  keyHeader: "x-api-key",
  errorFormat: messagesErrorFormat,
  // The count is of the input, so the max output tokens are left out.
  conversationBody: (body) => ({ max_tokens: 1, ...body }),
  upstream: (input, target) => ({
    dialect: "anthropic-messages",
    method: "POST",
    path: "/v1/messages/count_tokens",
    headers: upstreamHeaders(input.headers),
    body: withMembers(input.text, input.members, { model: JSON.stringify(target.model) }),
  }),
  count: (answer) => answer.input_tokens,
  writeCount: (tokens) => ({ input_tokens: tokens }),
});
