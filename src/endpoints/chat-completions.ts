import { abilitiesUsed } from "./check-abilities.ts";
import { closestDialect, codecs } from "../dialects/codecs.ts";
import { checkCapabilities } from "../dialects/openai-chat/check-capabilities.ts";
import { passThroughChat } from "../dialects/openai-chat/pass-through.ts";
import { readChatRequest, type ChatRequest } from "../dialects/openai-chat/request.ts";
import { bookChatTokens, estimateChatInput } from "../metering/estimate.ts";
import type { Endpoint, EndpointInput, ReadContext } from "../pipeline/endpoint.ts";
import { translated } from "./conversation.ts";
import { openaiVoice } from "./openai-voice.ts";

interface ChatInput extends ChatRequest, EndpointInput {
  readonly requestId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** `POST /v1/chat/completions` */
export const chatCompletions: Endpoint<ChatInput> = {
  name: "chat",
  keyHeader: null,
  voice: openaiVoice,
  read: (text: string, { requestId, now }: ReadContext) => ({ ...readChatRequest(text), requestId, now }),
  checkModel: checkCapabilities,
  abilitiesUsed: ({ body }) => abilitiesUsed(codecs["openai-chat"].caller.decodeRequest(body)),
  expectedUsage: ({ body }) => ({
    input: bookChatTokens(body),
    output: askedOutput(body.max_completion_tokens ?? body.max_tokens),
    answers: typeof body.n === "number" ? body.n : 1,
  }),
  size: ({ text }) => Buffer.byteLength(text),
  estimateInput: (request) => estimateChatInput(request.body),
  exchange(input, target, model, { fetchMedia }) {
    const dialect = closestDialect("openai-chat", target.provider.dialects);
    if (dialect === "openai-chat") return passThroughChat(input, target.model);
    const { caller } = codecs["openai-chat"];
    const conversation = caller.decodeRequest(input.body);
    const context = {
      callerBody: input.body,
      model: input.model,
      fallbackId: input.requestId.replace("req_", ""),
      created: Math.floor(input.now / 1000),
      estimatedInputTokens: bookChatTokens(input.body),
    };
    return translated({ conversation, context, caller }, dialect, target, model, fetchMedia);
  },
};

/** What a caller asks for at most. */
function askedOutput(limit: unknown): number | null {
  return typeof limit === "number" ? limit : null;
}
