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

export interface CatalogueEntry<Type extends ErrorType = ErrorType> {
  /** The HTTP status. */
  readonly status: number;
  readonly type: Type;
  /** `error.code`, if it is not the entry's own name; null if the provider's own code is passed on. */
  readonly code?: string | null;
  /** The usual message. `{}` stands for a name or a value. */
  readonly message: string;
  /** When callers see it, for the docs. */
  readonly when: string;
}

/** Entries of some types, by name. */
export type ErrorGroup<Type extends ErrorType> = Readonly<Record<string, CatalogueEntry<Type>>>;
