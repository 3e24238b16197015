import type { ErrorType } from "../../error-catalogue.ts";
import type { GatewayError } from "../../errors.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../json/values.ts";
import type { ProviderError } from "../exchange.ts";

/**
 * Reads Google's envelope `{"error":{code, message, status, details}}`, also as the only item of a list, as a streamed
 * array and Google's compatibility layer have it. Null if the value holds no error.
 */
export function readGeminiError(value: unknown): ProviderError | null {
  const error = errorOf(value);
  if (error === null) return null;
  if (typeof error === "string") return { message: error, type: null, code: null, param: null };
  return {
    message: stringOrNull(error.message),
    type: stringOrNull(error.status),
    // The reason is a code (API_KEY_INVALID), if Google gives one.
    code:
      stringOrNull(detailOf(error, "ErrorInfo")?.reason) ??
      (typeof error.code === "number" ? String(error.code) : stringOrNull(error.code)),
    param: fieldAtFault(error),
  };
}

function errorOf(value: unknown): JsonObject | string | null {
  if (Array.isArray(value)) return value.length === 1 ? errorOf(value[0]) : null;
  if (!isObject(value)) return null;
  return isObject(value.error) || (typeof value.error === "string" && value.error !== "") ? value.error : null;
}

function fieldAtFault(error: JsonObject): string | null {
  const violation = listOrEmpty(detailOf(error, "BadRequest")?.fieldViolations)[0];
  return isObject(violation) ? stringOrNull(violation.field) : null;
}

function detailOf(error: JsonObject, type: string): JsonObject | undefined {
  return listOrEmpty(error.details)
    .filter(isObject)
    .find((detail) => String(detail["@type"]).endsWith(`google.rpc.${type}`));
}

/** Reads the body of an error status, with the wait and the rejected credential that Google reports in it. */
export function decodeGeminiError(body: unknown): ProviderError {
  const error = readGeminiError(body) ?? { message: null, type: null, code: null, param: null };
  return { ...error, retryAfterSeconds: readRetryDelay(body), badCredential: isCredentialError(error) };
}

/** Seconds to wait by an error's RetryInfo, fractions included; null if it has none. */
export function readRetryDelay(value: unknown): number | null {
  const error = errorOf(value);
  if (error === null || typeof error === "string") return null;
  const delay = stringOrNull(detailOf(error, "RetryInfo")?.retryDelay);
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay ?? "")?.[1];
  return seconds === undefined ? null : Number(seconds);
}

/** Whether an error rejects the credential: Google does so with 400 as well as 401. */
export function isCredentialError(error: ProviderError): boolean {
  return error.code === "API_KEY_INVALID" || error.type === "UNAUTHENTICATED";
}

const statusWords: Readonly<Record<ErrorType, string>> = {
  invalid_request_error: "INVALID_ARGUMENT",
  authentication_error: "UNAUTHENTICATED",
  insufficient_balance: "FAILED_PRECONDITION",
  permission_error: "PERMISSION_DENIED",
  not_found_error: "NOT_FOUND",
  conflict_error: "ABORTED",
  request_too_large: "INVALID_ARGUMENT",
  rate_limit_exceeded: "RESOURCE_EXHAUSTED",
  server_error: "INTERNAL",
  upstream_error: "UNAVAILABLE",
  overloaded_error: "UNAVAILABLE",
  upstream_timeout: "DEADLINE_EXCEEDED",
};

/** Google's envelope, with the gateway's own facts among its details. */
export function encodeGeminiError(error: GatewayError, requestId: string): JsonObject {
  const { code, param, retryAfterSeconds } = error;
  const details: JsonObject[] = [
    {
      "@type": `${typeUrl}ErrorInfo`,
      reason: code ?? error.type,
      domain: "gateway",
      metadata: { request_id: requestId },
    },
  ];
  if (param !== null) {
    const violation = { field: param, description: error.message };
    details.push({ "@type": `${typeUrl}BadRequest`, fieldViolations: [violation] });
  }
  if (retryAfterSeconds !== null) {
    details.push({ "@type": `${typeUrl}RetryInfo`, retryDelay: `${retryAfterSeconds}s` });
  }
  return { error: { code: error.status, message: error.message, status: statusWords[error.type], details } };
}

const typeUrl = "type.googleapis.com/google.rpc.";
