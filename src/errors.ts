/**
 * The one catalogue of errors. Every refusal or fault that a caller can see is a `GatewayError` made by one of the
 * functions below, so that a status, a type and a code always belong together.
 */

/** `error.type` as callers see it, with the HTTP status that goes with it. */
export const errorStatus = {
  invalid_request_error: 400,
  authentication_error: 401,
  insufficient_balance: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_exceeded: 429,
  server_error: 500,
  upstream_error: 502,
  overloaded_error: 503,
  upstream_timeout: 504,
} as const;

export type ErrorType = keyof typeof errorStatus;

export interface ErrorDetails {
  /** A stable word for programs, such as `missing_parameter`. */
  readonly code?: string | null;
  /** The path of the field at fault, such as `messages[0].role`. */
  readonly param?: string | null;
  /** Where it differs from the type's own status (405, 408, 415, 422). */
  readonly status?: number;
  /** Seconds to wait, said in `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The methods a path allows, said in `Allow` with a 405. */
  readonly allow?: string;
  /** What led here, for the log. Never shown to a caller. */
  readonly cause?: unknown;
}

/** What a caller is told when a request cannot be served. Its message is safe to show: no secret, no address. */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly type: ErrorType;
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  readonly retryAfterSeconds: number | null;
  readonly allow: string | null;

  constructor(type: ErrorType, message: string, details: ErrorDetails = {}) {
    super(message, { cause: details.cause });
    this.type = type;
    this.status = details.status ?? errorStatus[type];
    this.code = details.code ?? null;
    this.param = details.param ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.allow = details.allow ?? null;
  }
}

/** 400: the request's shape or a value in it is wrong. `param` is the path of the field at fault. */
export function invalidRequest(code: string, message: string, param: string | null = null): GatewayError {
  return new GatewayError("invalid_request_error", message, { code, param });
}

/** 400: a required field is absent. */
export function missingParameter(param: string): GatewayError {
  return invalidRequest("missing_parameter", `Missing required parameter: '${param}'.`, param);
}

/** 400: a field is there and its value cannot be used. `expected` completes "expected ...". */
export function invalidParameter(param: string, expected: string): GatewayError {
  return invalidRequest("invalid_parameter", `Invalid value for '${param}': expected ${expected}.`, param);
}

/** 400: the field is understood, and this model or provider cannot do it. */
export function unsupportedParameter(param: string, message: string): GatewayError {
  return invalidRequest("unsupported_parameter", message, param);
}

/** 401: no key, a wrong one, or one out of use. */
export function authenticationError(
  code: "missing_api_key" | "invalid_api_key" | "expired_api_key" | "disabled_api_key",
  message: string,
): GatewayError {
  return new GatewayError("authentication_error", message, { code });
}

/** 403: the key is good and may not do this. */
export function permissionError(
  code: "model_not_allowed" | "endpoint_not_allowed" | "domain_not_allowed" | "ip_not_allowed",
  message: string,
  param: string | null = null,
): GatewayError {
  return new GatewayError("permission_error", message, { code, param });
}

/** 404: no such thing, or none that this key may see. */
export function notFound(code: string, message: string, param: string | null = null): GatewayError {
  return new GatewayError("not_found_error", message, { code, param });
}

/** 409: the request's `Idempotency-Key` stands for another one. */
export function idempotencyConflict(message: string, waitSeconds: number | null): GatewayError {
  const wait = waitSeconds === null ? {} : { retryAfterSeconds: waitSeconds };
  return new GatewayError("conflict_error", message, {
    code: "idempotency_conflict",
    param: "Idempotency-Key",
    ...wait,
  });
}

/** 413: the body is larger than the limit, given in bytes. */
export function bodyTooLarge(limitBytes: number): GatewayError {
  return new GatewayError("request_too_large", `The request body is larger than ${limitBytes} bytes.`, {
    code: "body_too_large",
  });
}

/** 429: one of the key's own limits is reached, or the provider's. `waitSeconds` is the true wait, in whole seconds. */
export function rateLimitExceeded(
  code: "requests_per_minute" | "tokens_per_minute" | "concurrent_requests" | "provider_rate_limit",
  message: string,
  waitSeconds: number,
): GatewayError {
  return new GatewayError("rate_limit_exceeded", message, { code, retryAfterSeconds: waitSeconds });
}

/** 503: nothing is wrong with the request; come back in `waitSeconds`. */
export function overloaded(
  code: "overloaded" | "draining" | "no_target_available" | "storage_unavailable",
  message: string,
  waitSeconds: number,
): GatewayError {
  return new GatewayError("overloaded_error", message, { code, retryAfterSeconds: waitSeconds });
}

/** The envelope of OpenAI-shaped and service paths: `{"error":{...}}`. */
export function errorEnvelope(error: GatewayError, requestId: string) {
  return {
    error: { type: error.type, message: error.message, code: error.code, param: error.param, request_id: requestId },
  };
}

/** Any thrown value as a `GatewayError`: what is not one already is a 500 that tells the caller nothing of its cause. */
export function toGatewayError(thrown: unknown): GatewayError {
  if (thrown instanceof GatewayError) return thrown;
  return new GatewayError("server_error", "The gateway failed to handle this request.", {
    code: "internal_error",
    cause: thrown,
  });
}
