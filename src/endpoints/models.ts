import { type Answer, jsonAnswer } from "../pipeline/answer.ts";
import type { RequestHeaders } from "../http/headers.ts";
import { bareModelName } from "../dialects/gemini/fields.ts";
import { messagesErrorFormat } from "../dialects/anthropic-messages/messages.ts";
import { geminiErrorFormat } from "../dialects/gemini/generate-content.ts";
import { openaiErrorFormat } from "../dialects/openai-chat/error-format.ts";
import type { ErrorFormat } from "../operations/operation.ts";
import type { Model } from "../routing/names/model.ts";
import { listForAnthropic, modelForAnthropic } from "./models-anthropic.ts";
import { listForGoogle, modelForGoogle } from "./models-google.ts";
import { modelOfKey, modelsOfKey } from "./models-of-key.ts";
import { queryOf, type Visit } from "./visit.ts";

/**
 * `GET /v1/models` and `GET /v1beta/models`: what this key may call, in the list shape of the vendor whose SDK asks. On
 * the path that they share, Anthropic's names a version and Google's names itself.
 */
export async function listModels({ services, request, path }: Visit): Promise<Answer> {
  const searchParams = queryOf(request.target);
  switch (modelsErrorFormat(path, request.headers)) {
    case messagesErrorFormat:
      return jsonAnswer(listForAnthropic(await modelsOfKey(services, request, "x-api-key"), searchParams));
    case geminiErrorFormat:
      return jsonAnswer(listForGoogle(await modelsOfKey(services, request, "x-goog-api-key"), searchParams));
    default:
      return jsonAnswer({ object: "list", data: (await modelsOfKey(services, request, null)).map(modelForOpenai) });
  }
}

/** `GET /v1/models/{id}` and `GET /v1beta/models/{id}` */
export async function retrieveModel({ services, request, path, id }: Visit): Promise<Answer> {
  switch (modelsErrorFormat(path, request.headers)) {
    case messagesErrorFormat:
      return jsonAnswer(modelForAnthropic(await modelOfKey(services, request, "x-api-key", id)));
    case geminiErrorFormat:
      return jsonAnswer(modelForGoogle(await modelOfKey(services, request, "x-goog-api-key", bareModelName(id))));
    default:
      return jsonAnswer(modelForOpenai(await modelOfKey(services, request, null, id)));
  }
}

/** The error format of the vendor whose SDK asks at one of these paths. */
export function modelsErrorFormat(path: string, headers: RequestHeaders): ErrorFormat {
  if (path.startsWith("/v1beta/")) return geminiErrorFormat;
  if (headers.has("anthropic-version")) return messagesErrorFormat;
  return headers.has("x-goog-api-client") ? geminiErrorFormat : openaiErrorFormat;
}

function modelForOpenai(model: Model) {
  return { id: model.id, object: "model", created: model.created, owned_by: model.ownedBy };
}
