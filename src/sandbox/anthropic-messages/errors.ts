import type { Failure } from "../refusal.ts";
import { Refusal } from "../refusal.ts";

const typeByStatus: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** Anthropic's error format. */
export function messagesError({ status, message, code }: Failure): unknown {
  const type = typeByStatus[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
  const details = code === null ? {} : { details: { error_code: code } };
  return { type: "error", error: { type, message, ...details }, request_id: null };
}

export function writeMessagesError(failure: Failure): string {
  return JSON.stringify(messagesError(failure));
}

/** An error with Anthropic's message: the path, then the problem. */
export function invalidRequest(path: string, what: string): Refusal {
  return new Refusal(400, `${path}: ${what}`);
}
