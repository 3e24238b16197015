import { passThroughChat } from "../dialects/openai-chat/pass-through.ts";
import { readChatRequest, type ChatRequest } from "../dialects/openai-chat/request.ts";
import { checkCapabilities } from "../dialects/openai-chat/check-capabilities.ts";
import { bookChatTokens, estimateChatInput } from "../metering/estimate.ts";
import type { Endpoint } from "../pipeline/endpoint.ts";
import { openaiVoice } from "./openai-voice.ts";

/** `POST /v1/chat/completions` */
export const chatCompletions: Endpoint<ChatRequest> = {
  name: "chat",
  path: "/v1/chat/completions",
  keyHeader: null,
  voice: openaiVoice,
  read: readChatRequest,
  checkModel: checkCapabilities,
  bookTokens: (request) => bookChatTokens(request.body),
  estimateInput: (request) => estimateChatInput(request.body),
  exchange: (request, target) => passThroughChat(request, target.model),
};
