import { isObject, stringOrNull, type JsonObject } from "../../json/values.ts";
import type { ProviderError } from "../exchange.ts";
import { readError } from "../openai-chat/errors.ts";

const unknownError: ProviderError = { message: null, type: null, code: null, param: null };

/** Reads the body of an error status; all null if it is in no known form. */
export function decodeResponsesError(body: unknown): ProviderError {
  return readError(body) ?? (isObject(body) ? readEventError(body) : null) ?? unknownError;
}

/**
 * The error of a stream's `error` event, which OpenAI nests and its specification has flat, or of a failed response.
 * Null if the object is neither.
 */
export function readEventError(event: JsonObject): ProviderError | null {
  if (isObject(event.error)) return fieldsOf(event.error, stringOrNull(event.error.type));
  return event.type === "error" ? fieldsOf(event, null) : null;
}

function fieldsOf(error: JsonObject, type: string | null): ProviderError {
  const { code } = error;
  return {
    message: stringOrNull(error.message),
    type,
    code: typeof code === "number" ? String(code) : stringOrNull(code),
    param: stringOrNull(error.param),
  };
}
