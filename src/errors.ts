import { errorFacts, type ErrorName, type ErrorNameOf, type ErrorType } from "./error-catalogue.ts";

/** The details of an error beside its entry in the catalogue and its message. */
export interface ErrorDetails {
  /** The path of the field at fault, such as `messages[0].role`. */
  readonly param?: string | null;
  /** Seconds to wait, for `Retry-After`. */
  readonly retryAfterSeconds?: number | null;
  /** The methods that a path takes, for `Allow` with a 405. */
  readonly allow?: string;
  /** For `Content-Range` with a 416. */
  readonly contentRange?: string;
  /** The cause, for the log. Never shown to a caller. */
  readonly cause?: unknown;
}

/**
 * The answer to a caller whose request cannot be served. Its message is safe to show: no secret, no address. Status, type and
 * code come from the catalogue; only the code of a provider's refusal is the provider's.
 */
export class GatewayError extends Error {
  override readonly name = "GatewayError";
  readonly type: ErrorType;
  readonly status: number;
  readonly code: string | null;
  readonly param: string | null;
  readonly retryAfterSeconds: number | null;
  readonly allow: string | null;
  readonly contentRange: string | null;

  private constructor(facts: ReturnType<typeof errorFacts>, message: string, details: ErrorDetails) {
    super(message, { cause: details.cause });
    this.type = facts.type;
    this.status = facts.status;
    this.code = facts.code;
    this.param = details.param ?? null;
    this.retryAfterSeconds = details.retryAfterSeconds ?? null;
    this.allow = details.allow ?? null;
    this.contentRange = details.contentRange ?? null;
  }

  /** The error of this entry of the catalogue. */
  static of(name: ErrorName, message: string, details: ErrorDetails = {}): GatewayError {
    return new GatewayError(errorFacts(name), message, details);
  }

  /**
   * A provider's refusal of the request itself, passed on.
   * @param refusal the provider's status (400, 413 or 422) and its code
   */
  static ofProvider(
    refusal: { readonly status: number; readonly code: string | null },
    message: string,
    param: string | null,
  ): GatewayError {
    const { type } = errorFacts(refusal.status === 413 ? "provider_refused_size" : "provider_refused");
    return new GatewayError({ ...refusal, type }, message, { param });
  }

  /** The same error in other words. */
  inOtherWords(message: string): GatewayError {
    const { param, retryAfterSeconds } = this;
    return new GatewayError(this, message, { param, retryAfterSeconds });
  }
}

/** 400: the request's shape or a value in it is wrong. `param` is the path of the field at fault. */
export function invalidRequest(
  code: ErrorNameOf<"invalid_request_error">,
  message: string,
  param: string | null = null,
): GatewayError {
  return GatewayError.of(code, message, { param });
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
export function authenticationError(code: ErrorNameOf<"authentication_error">, message: string): GatewayError {
  return GatewayError.of(code, message);
}

/** 403: the key is good and may not do this. */
export function permissionError(
  code: ErrorNameOf<"permission_error">,
  message: string,
  param: string | null = null,
): GatewayError {
  return GatewayError.of(code, message, { param });
}

/** 404: no such thing, or none that this key may see. */
export function notFound(
  code: ErrorNameOf<"not_found_error">,
  message: string,
  param: string | null = null,
): GatewayError {
  return GatewayError.of(code, message, { param });
}

/** 409: the request's `Idempotency-Key` stands for another one. */
export function idempotencyConflict(message: string, retryAfterSeconds: number | null): GatewayError {
  return GatewayError.of("idempotency_conflict", message, { param: "Idempotency-Key", retryAfterSeconds });
}

/** 413: the body is larger than the limit, given in bytes. */
export function bodyTooLarge(limitBytes: number): GatewayError {
  return GatewayError.of("body_too_large", `The request body is larger than ${limitBytes} bytes.`);
}

/** 429: one of the key's own limits is reached, or the provider's. `waitSeconds` is the true wait, in whole seconds. */
export function rateLimitExceeded(
  code: ErrorNameOf<"rate_limit_exceeded">,
  message: string,
  waitSeconds: number,
): GatewayError {
  return GatewayError.of(code, message, { retryAfterSeconds: waitSeconds });
}

/** 503: nothing is wrong with the request; come back in `waitSeconds`. */
export function overloaded(code: ErrorNameOf<"overloaded_error">, message: string, waitSeconds: number): GatewayError {
  return GatewayError.of(code, message, { retryAfterSeconds: waitSeconds });
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
  return GatewayError.of("internal_error", "The gateway failed to handle this request.", { cause: thrown });
}
