import { bareModelName } from "../dialects/gemini/fields.ts";
import type { CallerVoice } from "../pipeline/endpoint.ts";
import type { Services } from "../pipeline/services.ts";
import type { Model } from "../routing/names/model.ts";
import { geminiVoice } from "./generate-content.ts";
import { messagesVoice } from "./messages.ts";
import { listForAnthropic, modelForAnthropic } from "./models-anthropic.ts";
import { listForGoogle, modelForGoogle } from "./models-google.ts";
import { modelOfKey, modelsOfKey } from "./models-of-key.ts";
import { openaiVoice } from "./openai-voice.ts";

/**
 * `GET /v1/models` and `GET /v1beta/models`: what this key may call, in the list shape of the vendor whose SDK asks. On
 * the path that they share, Anthropic's names a version and Google's names itself.
 */
export async function listModels(services: Services, request: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  switch (modelsVoice(pathname, request.headers)) {
    case messagesVoice:
      return Response.json(listForAnthropic(await modelsOfKey(services, request, "x-api-key"), searchParams));
    case geminiVoice:
      return Response.json(listForGoogle(await modelsOfKey(services, request, "x-goog-api-key"), searchParams));
    default:
      return Response.json({ object: "list", data: (await modelsOfKey(services, request, null)).map(modelForOpenai) });
  }
}

/** `GET /v1/models/{id}` and `GET /v1beta/models/{id}` */
export async function retrieveModel(services: Services, request: Request, id: string): Promise<Response> {
  switch (modelsVoice(new URL(request.url).pathname, request.headers)) {
    case messagesVoice:
      return Response.json(modelForAnthropic(await modelOfKey(services, request, "x-api-key", id)));
    case geminiVoice:
      return Response.json(modelForGoogle(await modelOfKey(services, request, "x-goog-api-key", bareModelName(id))));
    default:
      return Response.json(modelForOpenai(await modelOfKey(services, request, null, id)));
  }
}

/** How whoever asks at one of these paths expects to be spoken to. */
export function modelsVoice(path: string, headers: Headers): CallerVoice {
  if (path.startsWith("/v1beta/")) return geminiVoice;
  if (headers.has("anthropic-version")) return messagesVoice;
  return headers.has("x-goog-api-client") ? geminiVoice : openaiVoice;
}

function modelForOpenai(model: Model) {
  return { id: model.id, object: "model", created: model.created, owned_by: model.ownedBy };
}
