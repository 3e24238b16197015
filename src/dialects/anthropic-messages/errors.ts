import type { ErrorType } from "../../error-catalogue.ts";
import type { GatewayError } from "../../errors.ts";
import { isObject, stringOrNull, type JsonObject } from "../../json/values.ts";
import type { ProviderError } from "../exchange.ts";

/** Anthropic's names of the gateway's error types. */
const errorTypes: Readonly<Record<ErrorType, string>> = {
  invalid_request_error: "invalid_request_error",
  authentication_error: "authentication_error",
  insufficient_balance: "billing_error",
  permission_error: "permission_error",
  not_found_error: "not_found_error",
  conflict_error: "conflict_error",
  request_too_large: "request_too_large",
  rate_limit_exceeded: "rate_limit_error",
  server_error: "api_error",
  upstream_error: "api_error",
  overloaded_error: "overloaded_error",
  upstream_timeout: "timeout_error",
};

/** Anthropic's envelope. Its clients look for the field at fault in the message, so it is named there. */
export function encodeMessagesError(error: GatewayError, requestId: string): JsonObject {
  const named = error.param === null || error.message.includes(error.param);
  const message = named ? error.message : `${error.param}: ${error.message}`;
  const written = { type: errorTypes[error.type], message, details: detailsOf(error) };
  return { type: "error", error: written, request_id: requestId };
}

/** Anthropic's clients send the whole conversation without `thread` if they read this. */
const threadUnsupported = { error_code: "thread_unsupported_request", unsupported: ["model"] };

function detailsOf({ code, param }: GatewayError): JsonObject | undefined {
  return code === "unsupported_parameter" && param === "thread" ? threadUnsupported : undefined;
}

/** Reads `{"type":"error","error":{...}}`; null if the value holds no error. */
export function readMessagesError(value: unknown): ProviderError | null {
  if (!isObject(value) || !isObject(value.error)) return null;
  const { error } = value;
  const details = isObject(error.details) ? error.details : {};
  const message = stringOrNull(error.message);
  const type = stringOrNull(error.type);
  const written = { message, type, code: stringOrNull(details.error_code), param: null };
  return isOutOfCredit(type, message) ? { ...written, isOutOfCredit: true } : written;
}

/**
 * An account without credit is a 400 like any invalid request, so only the message shows it. It begins with these
 * words; what a caller wrote is only ever quoted behind a path.
 */
const creditMessage = "Your credit balance is too low to access the Anthropic API";

function isOutOfCredit(type: string | null, message: string | null): boolean {
  if (type === "billing_error") return true;
  return type === "invalid_request_error" && message?.startsWith(creditMessage) === true;
}
