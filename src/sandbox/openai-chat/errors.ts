import type { Failure } from "../refusal.ts";

const typeByStatus: Readonly<Record<number, string>> = {
  403: "permission_error",
  408: "timeout",
  409: "conflict_error",
  429: "rate_limit_error",
  504: "timeout",
};

/** OpenAI's error format. */
export function chatError(failure: Failure): unknown {
  const type = typeByStatus[failure.status] ?? (failure.status >= 500 ? "server_error" : "invalid_request_error");
  return { error: { message: failure.message, type, param: failure.param, code: failure.code } };
}

export function writeChatError(failure: Failure): string {
  return JSON.stringify(chatError(failure));
}
