import type { ErrorGroup } from "./error-group.ts";

/** Requests that can never be served as they are. */
export const invalidRequests = {
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
  range_not_satisfiable: {
    status: 416,
    type: "invalid_request_error",
    message: "The range is not within the {} bytes of the file.",
    when: "`Range` asks for bytes beyond the end of the content.",
  },
  websocket_unsupported: {
    status: 426,
    type: "invalid_request_error",
    message: "This path has no WebSocket. Send an HTTP request: {}.",
    when: "A client asks for a WebSocket first, as Codex does; it goes on over HTTP.",
  },
} as const satisfies ErrorGroup<"invalid_request_error">;
