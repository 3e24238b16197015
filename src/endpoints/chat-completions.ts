import { abilitiesUsed } from "./check-abilities.ts";
import { closestDialect, codecs } from "../dialects/codecs.ts";
import { checkCapabilities } from "../dialects/openai-chat/check-capabilities.ts";
import { passThroughChat } from "../dialects/openai-chat/pass-through.ts";
import { readChatRequest, type ChatRequest } from "../dialects/openai-chat/request.ts";
import { chatContent } from "../metering/chat-content.ts";
import { estimateContent, quickTokens } from "../metering/estimate.ts";
import { expectText } from "../metering/expected-usage.ts";
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
  expectedUsage: ({ body, text }) =>
    expectText(
      chatContent(body),
      () => Buffer.byteLength(text),
      numberOrNull(body.n),
      numberOrNull(body.max_completion_tokens ?? body.max_tokens),
    ),
  size: ({ text }) => Buffer.byteLength(text),
  estimateInput: ({ body }) => estimateContent(chatContent(body)),
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
      estimatedInputTokens: quickTokens(chatContent(input.body)),
    };
    return translated({ conversation, context, caller }, dialect, target, model, fetchMedia);
  },
};

function numberOrNull(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
