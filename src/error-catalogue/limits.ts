import type { ErrorGroup } from "./error-group.ts";

/** Requests that are too large or too many. */
export const limits = {
  body_too_large: {
    status: 413,
    type: "request_too_large",
    message: "The request body is larger than {} bytes.",
    when: "The body, or the stored conversation that it continues, is larger than `server.max_body_bytes`.",
  },
  provider_refused_size: {
    status: 413,
    type: "request_too_large",
    code: null,
    message: "The provider refused this request as invalid.",
    when: "The provider answered with 413. Message, code and `param` are the provider's own, as above.",
  },
  files_quota_exceeded: {
    status: 413,
    type: "request_too_large",
    message: "The files of this account would be larger than {} bytes together.",
    when: "The account's files would exceed `files.max_account_bytes` or `files.max_account_files`. Delete some, or let them expire.",
  },
  requests_per_minute: {
    status: 429,
    type: "rate_limit_exceeded",
    message: "Rate limit of this API key reached: {}. Retry in {}.",
    when: "The key's requests per minute are used up, or too many of its requests were refused as invalid (`server.max_refused_per_minute`) or counted tokens (`server.max_free_per_minute`). `Retry-After` is the true wait.",
  },
  tokens_per_minute: {
    status: 429,
    type: "rate_limit_exceeded",
    message: "Rate limit of this API key reached: {}. Retry in {}.",
    when: "The key's tokens per minute are used up. `Retry-After` is the true wait.",
  },
  concurrent_requests: {
    status: 429,
    type: "rate_limit_exceeded",
    message: "Rate limit of this API key reached: {}. Retry in {}.",
    when: "As many requests of the key are running as it may have at once.",
  },
  provider_rate_limit: {
    status: 429,
    type: "rate_limit_exceeded",
    message: "The provider's rate limit is reached. {}",
    when: "The provider says that there were too many requests, and no other target can be asked.",
  },
} as const satisfies ErrorGroup<"request_too_large" | "rate_limit_exceeded">;
