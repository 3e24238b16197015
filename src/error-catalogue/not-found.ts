import type { ErrorGroup } from "./error-group.ts";

/** Names, ids and paths that do not exist, or not for this caller. */
export const notFound = {
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
  provider_not_found: {
    status: 404,
    type: "not_found_error",
    message: "The provider '{}' does not exist.",
    when: "An operator names a provider that does not exist.",
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
  file_not_found: {
    status: 404,
    type: "not_found_error",
    message: "No such file: '{}'.",
    when: "There is no file with this id, it has expired, or it belongs to another account.",
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
  audit_not_found: {
    status: 404,
    type: "not_found_error",
    message: "No such audit: '{}'.",
    when: "There is no audit with this id: it is not one of the last 100, or never was.",
  },
  bodies_not_found: {
    status: 404,
    type: "not_found_error",
    message: "The bodies of this request are not kept, or no longer: see log_bodies of its account.",
    when: "The account of the request does not have bodies kept, or they were deleted or have expired.",
  },
} as const satisfies ErrorGroup<"not_found_error">;
