import type { CallerVoice, Endpoint, EndpointInput } from "../pipeline/endpoint.ts";
import { call } from "../pipeline/call.ts";
import { deleteRoute, listRoutes, putRoute } from "./admin-routes.ts";
import { listHealth } from "./admin-health.ts";
import { chatCompletions } from "./chat-completions.ts";
import { countMessagesTokens } from "./count-tokens-messages.ts";
import { countResponsesTokens } from "./count-tokens-responses.ts";
import { embeddings } from "./embeddings.ts";
import { explainRoute } from "./explain-route.ts";
import { geminiAction } from "./gemini-action.ts";
import { geminiVoice } from "./generate-content.ts";
import { health, readiness } from "./health.ts";
import { messages, messagesVoice } from "./messages.ts";
import { listCatalog } from "./models-catalog.ts";
import { listModels, modelsVoice, retrieveModel } from "./models.ts";
import { openaiVoice } from "./openai-voice.ts";
import { responses } from "./responses.ts";
import { cancelResponse, deleteResponse, listResponseInput, retrieveResponse } from "./stored-responses.ts";
import { lookUpForOperator, lookUpRecord } from "./usage-requests.ts";
import type { Handler } from "./visit.ts";

/** What one public path answers to. */
export interface PathEntry {
  readonly path: string;
  /** Whose envelope its errors have. */
  readonly voice: CallerVoice;
  readonly get?: Handler;
  /** Billable: the pipeline answers it, keeps its own time and its record. */
  readonly post?: Handler;
  /** A POST that costs nothing and leaves no record. */
  readonly ask?: Handler;
  readonly put?: Handler;
  readonly delete?: Handler;
}

/** Every public path. `:id{.+}` may hold slashes. */
export const pathTable: readonly PathEntry[] = [
  { path: "/v1/chat/completions", voice: openaiVoice, post: through(chatCompletions) },
  { path: "/v1/messages", voice: messagesVoice, post: through(messages) },
  { path: "/v1/responses", voice: openaiVoice, post: through(responses) },
  { path: "/v1/responses/input_tokens", voice: openaiVoice, post: through(countResponsesTokens) },
  { path: "/v1/responses/:id", voice: openaiVoice, get: retrieveResponse, delete: deleteResponse },
  { path: "/v1/responses/:id/input_items", voice: openaiVoice, get: listResponseInput },
  { path: "/v1/responses/:id/cancel", voice: openaiVoice, post: cancelResponse },
  { path: "/v1/messages/count_tokens", voice: messagesVoice, post: through(countMessagesTokens) },
  { path: "/v1/embeddings", voice: openaiVoice, post: through(embeddings) },
  {
    path: "/v1beta/models",
    voice: geminiVoice,
    get: ({ services, request }) => listModels(services, request),
  },
  {
    path: "/v1beta/models/:id{.+}",
    voice: geminiVoice,
    get: ({ services, request, id }) => retrieveModel(services, request, id),
    post: geminiAction,
  },
  { path: "/v1/models", voice: openaiVoice, get: ({ services, request }) => listModels(services, request) },
  {
    path: "/v1/models/:id{.+}",
    voice: openaiVoice,
    get: ({ services, request, id }) => retrieveModel(services, request, id),
    post: geminiAction,
  },
  { path: "/api/models/catalog", voice: openaiVoice, get: ({ services, request }) => listCatalog(services, request) },
  {
    path: "/api/usage/requests/:id",
    voice: openaiVoice,
    get: ({ services, request, id }) => lookUpRecord(services, request, id),
  },
  { path: "/api/admin/routes", voice: openaiVoice, get: listRoutes },
  { path: "/api/admin/routes/:id{.+}", voice: openaiVoice, put: putRoute, delete: deleteRoute },
  { path: "/api/routes/explain", voice: openaiVoice, ask: explainRoute },
  { path: "/api/admin/requests/:id", voice: openaiVoice, get: lookUpForOperator },
  { path: "/api/admin/health", voice: openaiVoice, get: listHealth },
  { path: "/healthz", voice: openaiVoice, get: health },
  { path: "/readyz", voice: openaiVoice, get: ({ services }) => readiness(services) },
];

/** How whoever asks for a path expects to be spoken to, on paths that are not in the table too. */
export function voiceOf(path: string, headers: Headers): CallerVoice {
  if (path.startsWith("/v1beta/")) return geminiVoice;
  if (path.startsWith("/v1/messages")) return messagesVoice;
  return path.startsWith("/v1/models") ? modelsVoice(path, headers) : openaiVoice;
}

function through<Input extends EndpointInput>(endpoint: Endpoint<Input>): Handler {
  return ({ services, path, request, settled }) => call(services, endpoint, path, request, settled);
}
