import type { Failure } from "../refusal.ts";

const statusWords: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  408: "DEADLINE_EXCEEDED",
  409: "ABORTED",
  413: "INVALID_ARGUMENT",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

const typeUrl = "type.googleapis.com/google.rpc.";

/** Google's error format. An invalid key has Google's reason. */
export function geminiError({ status, message, code, param }: Failure): unknown {
  const reason = code === "invalid_api_key" ? "API_KEY_INVALID" : code;
  const details = [
    ...(reason === null
      ? []
      : [{ "@type": `${typeUrl}ErrorInfo`, reason, domain: "googleapis.com", metadata: { service: "sandbox" } }]),
    ...(param === null
      ? []
      : [{ "@type": `${typeUrl}BadRequest`, fieldViolations: [{ field: param, description: message }] }]),
    ...(status === 429 ? [{ "@type": `${typeUrl}RetryInfo`, retryDelay: "1s" }] : []),
  ];
  const word = statusWords[status] ?? (status >= 500 ? "INTERNAL" : "UNKNOWN");
  return { error: { code: status, message, status: word, ...(details.length > 0 ? { details } : {}) } };
}

export function writeGeminiError(failure: Failure): string {
  return JSON.stringify(geminiError(failure));
}
