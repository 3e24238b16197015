import type { ErrorGroup } from "./error-group.ts";

/** Refusals for want of a valid key, a scope, or money. */
export const access = {
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
  invalid_signature: {
    status: 401,
    type: "authentication_error",
    message: "The webhook has no valid signature, or tells of no job.",
    when: "A provider's webhook is not signed with its `webhook_secret`, or was signed more than five minutes ago.",
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
  ip_not_allowed: {
    status: 403,
    type: "permission_error",
    message: "This API key may not be used from {}.",
    when: "The key has IP ranges, and the caller's address is in none of them. The message has the address; behind a proxy set `server.trusted_proxies`.",
  },
} as const satisfies ErrorGroup<"authentication_error" | "insufficient_balance" | "permission_error">;
