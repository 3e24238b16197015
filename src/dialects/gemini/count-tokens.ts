import { missingParameter } from "../../errors.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { AnswerFault } from "../exchange.ts";
import { optionalObject } from "../fields/read-field.ts";
import { modelPath, openFields } from "./fields.ts";

/**
 * The body of `:countTokens` as one of `:generateContent`: it holds either contents alone, or a whole request under
 * `generateContentRequest`. Throws a 400 if it holds neither.
 */
export function readCountTokensBody(body: JsonObject): JsonObject {
  const fields = openFields(body);
  const { value, path } = fields.get("generateContentRequest");
  const request = optionalObject(value, path);
  if (request !== undefined) return request;
  if (fields.get("contents").value === undefined) throw missingParameter("contents");
  return body;
}

/** The answer to `:countTokens`. */
export function encodeTokenCount(tokens: number): JsonObject {
  return { totalTokens: tokens, promptTokensDetails: [{ modality: "TEXT", tokenCount: tokens }] };
}

/** Asks Gemini to count a request, given as `encodeGeminiRequest` wrote its body. */
export function encodeCountTokensRequest(body: JsonObject, model: string): { path: string; body: JsonObject } {
  const path = modelPath(model);
  const name = path.slice("/v1beta/".length);
  return { path: `${path}:countTokens`, body: { generateContentRequest: { model: decodeURI(name), ...body } } };
}

/** Gemini's count. Throws an `AnswerFault` if the answer has none. */
export function decodeTokenCount(body: unknown): number {
  if (!isObject(body)) throw new AnswerFault("The provider's answer is not a count of tokens.");
  // A count of 0 is left out.
  const { totalTokens = 0 } = body;
  if (typeof totalTokens !== "number" || !Number.isInteger(totalTokens) || totalTokens < 0) {
    throw new AnswerFault("The provider's answer is not a count of tokens.");
  }
  return totalTokens;
}
