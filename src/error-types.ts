/** `error.type` as callers see it. */
export type ErrorType =
  | "invalid_request_error"
  | "authentication_error"
  | "insufficient_balance"
  | "permission_error"
  | "not_found_error"
  | "conflict_error"
  | "request_too_large"
  | "rate_limit_exceeded"
  | "server_error"
  | "upstream_error"
  | "overloaded_error"
  | "upstream_timeout";
