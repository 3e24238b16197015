import { consoleErrors } from "./console-errors.ts";
import type { ErrorType } from "./error-types.ts";

export type { ErrorType } from "./error-types.ts";

interface CatalogueEntry {
  /** The HTTP status. */
  readonly status: number;
  readonly type: ErrorType;
  /** `error.code`, if it is not the entry's own name; null if the provider's own code is passed on. */
  readonly code?: string | null;
  /** The usual message. `{}` stands for a name or a value. */
  readonly message: string;
  /** When callers see it, for the docs. */
  readonly when: string;
}

/**
 * Every error that a caller can see, by the value of `error.code`. A `GatewayError` can only be made from one of these
 * entries; docs/errors.md is written from them by `scripts/errors-page.ts`.
 */
export const errorCatalogue = {
  invalid_json: {
    status: 400,
    type: "invalid_request_error",
    message: "The request body is not valid JSON.",
    when: "The body is not JSON, not UTF-8, not an object, nested too deeply, or of too many parts.",
  },
  invalid_multipart: {
    status: 400,
    type: "invalid_request_error",
    message: "The form breaks off before the boundary that ends it.",
    when: "The body cannot be read as the form that its content type promises.",
  },
  invalid_encoding: {
    status: 400,
    type: "invalid_request_error",
    message: "The request body is not valid {}.",
    when: "The body cannot be decompressed as its `Content-Encoding` says.",
  },
  websocket_unsupported: {
    status: 426,
    type: "invalid_request_error",
    message: "This path has no WebSocket. Send an HTTP request: {}.",
    when: "A client asks for a WebSocket first, as Codex does; it goes on over HTTP.",
  },
  missing_parameter: {
    status: 400,
    type: "invalid_request_error",
    message: "Missing required parameter: '{}'.",
    when: "A required field is absent. `param` is its path.",
  },
  invalid_parameter: {
    status: 400,
    type: "invalid_request_error",
    message: "Invalid value for '{}': expected {}.",
    when: "A field or a header has a value that cannot be used. `param` is its path.",
  },
  unsupported_parameter: {
    status: 400,
    type: "invalid_request_error",
    message: "The model '{}' does not support '{}' ({}).",
    when: "A field is understood, but neither the model nor its provider's dialect can do what it asks for.",
  },
  unsupported_endpoint: {
    status: 400,
    type: "invalid_request_error",
    message: "The model '{}' does not serve '{}', only: {}.",
    when: "The model exists and serves other endpoints.",
  },
  context_length_exceeded: {
    status: 400,
    type: "invalid_request_error",
    message: "The request is about {} tokens long; the model '{}' reads at most {} tokens.",
    when: "The request is too long for the model, by the gateway's estimate or by the provider's answer.",
  },
  model_unpriced: {
    status: 400,
    type: "invalid_request_error",
    message: "The model '{}' has no price, and this service does not serve models without one.",
    when: "The model has no price and the configuration says `billing: { unpriced: refuse }`.",
  },
  request_over_token_limit: {
    status: 400,
    type: "invalid_request_error",
    code: "tokens_per_minute",
    message: "The request is estimated at {}, which exceeds the limit of this API key: {} per minute.",
    when: "One request is larger than all that the key may use in a minute, so that waiting does not help.",
  },
  previous_response_not_found: {
    status: 400,
    type: "invalid_request_error",
    message: "Previous response with id '{}' not found.",
    when: "`previous_response_id` names a response that is not stored, has expired, or is another key's.",
  },
  invalid_request: {
    status: 400,
    type: "invalid_request_error",
    message: "Cannot cancel a synchronous response.",
    when: "A stored response is to be cancelled. No response is made in the background, so there is nothing to cancel.",
  },
  provider_refused: {
    status: 400,
    type: "invalid_request_error",
    code: null,
    message: "The provider refused this request as invalid.",
    when: "The provider answered with 400 or 422. Status, message, code and `param` are the provider's own, without credentials and addresses.",
  },
  method_not_allowed: {
    status: 405,
    type: "invalid_request_error",
    message: "{} is not allowed on this path. Use {}.",
    when: "The path exists and takes other methods, which `Allow` lists.",
  },
  body_timeout: {
    status: 408,
    type: "invalid_request_error",
    message: "The request body did not arrive within {} seconds.",
    when: "The body was sent too slowly (`server.body_timeout_ms`).",
  },
  unsupported_media_type: {
    status: 415,
    type: "invalid_request_error",
    message: "The request body must be JSON: send 'Content-Type: application/json'.",
    when: "The body has another content type or `Content-Encoding` than the path takes.",
  },
  missing_api_key: {
    status: 401,
    type: "authentication_error",
    message: "Missing API key. Send it as 'Authorization: Bearer <API key>'.",
    when: "The request has no key.",
  },
  invalid_api_key: {
    status: 401,
    type: "authentication_error",
    message: "Unknown API key. It may have been rotated or removed, or belong to another gateway.",
    when: "The key is malformed, unknown, or its secret is wrong.",
  },
  disabled_api_key: {
    status: 401,
    type: "authentication_error",
    message: "This API key is disabled.",
    when: "The key was disabled.",
  },
  expired_api_key: {
    status: 401,
    type: "authentication_error",
    message: "This API key expired at {}.",
    when: "The key's expiry has passed.",
  },
  insufficient_balance: {
    status: 402,
    type: "insufficient_balance",
    message: "The balance does not cover this request: {} USD available, {} USD needed.",
    when: "The account is prepaid, and its balance does not cover what the request can cost at most. Nothing was asked of a provider.",
  },
  budget_exceeded: {
    status: 402,
    type: "insufficient_balance",
    message: "The budget {} does not cover this request: {} USD left, {} USD needed. {}",
    when: "A hard budget concerns the request, and what is left of it does not cover what the request can cost at most. The message names the budget and when it resets. A budget of 0 blocks everything.",
  },
  model_not_allowed: {
    status: 403,
    type: "permission_error",
    message: "This API key may not use the model '{}'.",
    when: "The model is not in the key's scope.",
  },
  endpoint_not_allowed: {
    status: 403,
    type: "permission_error",
    message: "This API key may not use the endpoint '{}'.",
    when: "The endpoint is not in the key's scope, or the path is for operators only.",
  },
  domain_not_allowed: {
    status: 403,
    type: "permission_error",
    message: "This API key may not search any of the domains in 'include_domains'.",
    when: "A search asks for domains outside those of the key.",
  },
  model_not_found: {
    status: 404,
    type: "not_found_error",
    message: "The model '{}' does not exist.",
    when: "No model, alias or policy has this name.",
  },
  backend_not_found: {
    status: 404,
    type: "not_found_error",
    message: "The search backend '{}' does not exist.",
    when: "No enabled search backend or provider has this name.",
  },
  request_not_found: {
    status: 404,
    type: "not_found_error",
    message: "No request with this id was made with this API key.",
    when: "There is no such record, or it is another key's.",
  },
  response_not_found: {
    status: 404,
    type: "not_found_error",
    message: "Response with id '{}' not found.",
    when: "The response is not stored, has expired, or is another key's.",
  },
  route_not_found: {
    status: 404,
    type: "not_found_error",
    message: "The stored route '{}' does not exist.",
    when: "An operator removes a route that is not stored.",
  },
  key_not_found: {
    status: 404,
    type: "not_found_error",
    message: "There is no key with this id.",
    when: "An operator asks for a key that does not exist.",
  },
  account_not_found: {
    status: 404,
    type: "not_found_error",
    message: "There is no account with this id.",
    when: "An operator asks for an account that does not exist.",
  },
  budget_not_found: {
    status: 404,
    type: "not_found_error",
    message: "There is no budget with this id.",
    when: "An operator asks for a budget that does not exist.",
  },
  price_version_not_found: {
    status: 404,
    type: "not_found_error",
    message: "The price list has no version {}.",
    when: "An operator asks for a version of the price list that does not exist.",
  },
  unknown_path: {
    status: 404,
    type: "not_found_error",
    message: "Unknown path {} {}.",
    when: "Nothing is served at this path.",
  },
  idempotency_conflict: {
    status: 409,
    type: "conflict_error",
    message: "The request with this Idempotency-Key, {}, is still running. Retry later to get its answer.",
    when: "The `Idempotency-Key` stands for a running request (with `Retry-After`), another request, or an answer that was not kept.",
  },
  route_in_configuration: {
    status: 409,
    type: "conflict_error",
    message: "The route '{}' is defined in the configuration file. Change it there.",
    when: "An operator changes a route that the configuration file owns.",
  },
  route_in_use: {
    status: 409,
    type: "conflict_error",
    message: "The route '{}' is used by {}",
    when: "A change would make another route invalid.",
  },
  too_many_routes: {
    status: 409,
    type: "conflict_error",
    message: "The maximum of {} stored routes is reached.",
    when: "An operator adds a route beyond the maximum.",
  },
  conflicting_change: {
    status: 409,
    type: "conflict_error",
    message: "The {} were changed concurrently. Try again.",
    when: "Other changes of the routes or search backends kept coming in between.",
  },
  own_key: {
    status: 409,
    type: "conflict_error",
    message: "The key of this request {}. Use another admin key, or the command line.",
    when: "An admin key would end its own access to the admin API.",
  },
  account_exists: {
    status: 409,
    type: "conflict_error",
    message: "The account '{}' exists already.",
    when: "An operator creates an account under an id that is taken.",
  },
  balance_too_low: {
    status: 409,
    type: "conflict_error",
    message: "Only {} micro-USD are available, and a prepaid balance cannot be negative.",
    when: "An operator debits a prepaid account by more than it has.",
  },
  backend_in_configuration: {
    status: 409,
    type: "conflict_error",
    message: "The search backend '{}' is defined in the configuration file. Change it there.",
    when: "An operator changes a search backend that the configuration file owns, or creates one under its id.",
  },
  backend_exists: {
    status: 409,
    type: "conflict_error",
    message: "The search backend '{}' exists already.",
    when: "An operator creates a search backend under an id that is taken.",
  },
  too_many_backends: {
    status: 409,
    type: "conflict_error",
    message: "The maximum of {} stored search backends is reached.",
    when: "An operator adds a search backend beyond the maximum.",
  },
  no_secret_key: {
    status: 409,
    type: "conflict_error",
    message: "The credentials of the search backend '{}' {}.",
    when: "An operator sets credentials of a search backend, and the gateway has no key to seal them with.",
  },
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
  internal_error: {
    status: 500,
    type: "server_error",
    message: "The gateway failed to handle this request.",
    when: "A bug in the gateway. The log has the cause under the request id.",
  },
  upstream_error: {
    status: 502,
    type: "upstream_error",
    message: "The provider failed (HTTP {}).",
    when: "The provider answered with an error of its own, or refused the gateway's credential.",
  },
  upstream_unreachable: {
    status: 502,
    type: "upstream_error",
    message: "The provider could not be reached.",
    when: "No connection to the provider could be made, or it broke before an answer.",
  },
  upstream_invalid_response: {
    status: 502,
    type: "upstream_error",
    message: "The provider's answer was incomplete or not valid.",
    when: "The provider's answer was cut off, or is not what its dialect says.",
  },
  all_targets_failed: {
    status: 502,
    type: "upstream_error",
    message: "All providers failed with different errors.",
    when: "Several candidates were asked, and their errors have nothing in common.",
  },
  overloaded: {
    status: 503,
    type: "overloaded_error",
    message: "The gateway holds as many {} as it can. Retry in 1 second.",
    when: "The gateway is at one of its own bounds (`server.max_in_flight`, `server.max_body_memory_bytes`, ...). With `Retry-After`.",
  },
  draining: {
    status: 503,
    type: "overloaded_error",
    message: "The gateway is shutting down.",
    when: "The gateway has been told to stop. With `Retry-After`.",
  },
  no_target_available: {
    status: 503,
    type: "overloaded_error",
    message: "No provider of '{}' can take this request at the moment ({}). Retry in {} seconds.",
    when: "Circuits are open, or providers are full or overloaded. With `Retry-After`.",
  },
  storage_unavailable: {
    status: 503,
    type: "overloaded_error",
    message: "Usage cannot be recorded at the moment.",
    when: "The storage is away and the request needs it, or the journal is full. With `Retry-After`.",
  },
  connect_timeout: {
    status: 504,
    type: "upstream_timeout",
    message: "The provider did not accept a connection in time.",
    when: "`timeouts.connect_ms` of the provider has passed.",
  },
  first_byte_timeout: {
    status: 504,
    type: "upstream_timeout",
    message: "The provider did not begin to answer in time.",
    when: "`timeouts.first_byte_ms` of the provider has passed, or the provider answered with 408 or 504.",
  },
  idle_timeout: {
    status: 504,
    type: "upstream_timeout",
    message: "The provider stopped in the middle of its answer.",
    when: "`timeouts.idle_ms` of the provider has passed between two pieces of its answer.",
  },
  total_timeout: {
    status: 504,
    type: "upstream_timeout",
    message: "The provider did not finish its answer in time.",
    when: "`timeouts.total_ms` of the provider or the caller's own deadline (`X-Request-Timeout-Ms`) has passed.",
  },
  storage_full: {
    status: 507,
    type: "overloaded_error",
    message: "The gateway has no room to store this file at the moment.",
    when: "The disk of the blobs or of the storage is full. Nothing of the file has been kept, or it has not been deleted.",
  },
  file_not_found: {
    status: 404,
    type: "not_found_error",
    message: "No such file: '{}'.",
    when: "There is no file with this id, it has expired, or it belongs to another account.",
  },
  files_quota_exceeded: {
    status: 413,
    type: "request_too_large",
    message: "The files of this account would be larger than {} bytes together.",
    when: "The account's files would exceed `files.max_account_bytes` or `files.max_account_files`. Delete some, or let them expire.",
  },
  range_not_satisfiable: {
    status: 416,
    type: "invalid_request_error",
    message: "The range is not within the {} bytes of the file.",
    when: "`Range` asks for bytes beyond the end of the content.",
  },
  video_not_found: {
    status: 404,
    type: "not_found_error",
    message: "No such video: '{}'.",
    when: "There is no video job with this id, its film has expired, or it belongs to another account.",
  },
  event_not_found: {
    status: 404,
    type: "not_found_error",
    message: "No such event: '{}'.",
    when: "There is no event for webhooks with this id: it is older than 30 days, or never was.",
  },
  not_ready: {
    status: 409,
    type: "conflict_error",
    message: "The video is not ready: {}.",
    when: "The content of a video job is asked for, or changed, that is not completed: it still runs, or it has failed.",
  },
  invalid_signature: {
    status: 401,
    type: "authentication_error",
    message: "The webhook has no valid signature, or tells of no job.",
    when: "A provider's webhook is not signed with its `webhook_secret`, or was signed more than five minutes ago.",
  },
  ...consoleErrors,
} as const satisfies Record<string, CatalogueEntry>;

/** The name of an entry: its code, unless the entry says otherwise. */
export type ErrorName = keyof typeof errorCatalogue;

/** The names of all entries of some types. */
export type ErrorNameOf<Type extends ErrorType> = {
  [Name in ErrorName]: (typeof errorCatalogue)[Name]["type"] extends Type ? Name : never;
}[ErrorName];

/** One entry, less what only the docs need. */
export function errorFacts(name: ErrorName): { status: number; type: ErrorType; code: string | null } {
  const entry: CatalogueEntry = errorCatalogue[name];
  return { status: entry.status, type: entry.type, code: entry.code === undefined ? name : entry.code };
}
