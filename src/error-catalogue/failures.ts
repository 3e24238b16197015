import type { ErrorGroup } from "./error-group.ts";

/** Failures of the gateway or a provider, and the lack of capacity of either. */
export const failures = {
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
    when: "The gateway is at one of its own bounds (`server.max_in_flight`, `server.max_body_memory_bytes`, `server.max_answer_memory_bytes`, ...). With `Retry-After`.",
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
} as const satisfies ErrorGroup<"server_error" | "upstream_error" | "overloaded_error" | "upstream_timeout">;
