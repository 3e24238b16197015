import { notFound } from "../errors.ts";
import { call } from "../pipeline/call.ts";
import { countGeminiTokens } from "./count-tokens-gemini.ts";
import { addressOf, generateContent } from "./generate-content.ts";
import type { Visit } from "./visit.ts";

/** What is asked of a model at `/v1beta/models/{model}:{action}`, and under `/v1` for newer SDKs. */
export function geminiAction({ services, request, path, settled }: Visit): Response | Promise<Response> {
  switch (addressOf(request.url)?.action) {
    case "generateContent":
    case "streamGenerateContent":
      return call(services, generateContent, path, request, settled);
    case "countTokens":
      return call(services, countGeminiTokens, path, request, settled);
    default:
      throw notFound("unknown_path", `There is nothing at POST ${path}.`);
  }
}
