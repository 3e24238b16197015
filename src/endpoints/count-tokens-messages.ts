import { withMembers } from "../json/top-level.ts";
import { countTokensEndpoint } from "./count-tokens.ts";
import { messagesVoice, upstreamHeaders } from "./messages.ts";

/** `POST /v1/messages/count_tokens` */
export const countMessagesTokens = countTokensEndpoint({
  name: "messages",
  dialect: "anthropic-messages",
  keyHeader: "x-api-key",
  voice: messagesVoice,
  // A count is asked of what is read, so the most to write is not said.
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
