import type { ErrorGroup } from "./error-group.ts";

/** Requests that conflict with the present state: of a route, an account, a job, a running request. */
export const conflicts = {
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
    when: "Other changes of the routes, search backends, providers or models kept coming in between.",
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
    message: "The credentials of the {} '{}' {}.",
    when: "An operator sets credentials of a provider or search backend, and the gateway has no key to seal them with.",
  },
  not_ready: {
    status: 409,
    type: "conflict_error",
    message: "The video is not ready: {}.",
    when: "The content of a video job is asked for, or changed, that is not completed: it still runs, or it has failed.",
  },
  audit_running: {
    status: 409,
    type: "conflict_error",
    message: "The audit '{}' is running. One audit can run at a time.",
    when: "An operator begins an audit while another one runs, in any gateway on the same storage.",
  },
  audit_not_running: {
    status: 409,
    type: "conflict_error",
    message: "The audit '{}' is not running.",
    when: "An operator cancels an audit that has ended.",
  },
  provider_in_configuration: {
    status: 409,
    type: "conflict_error",
    message: "The provider '{}' is defined in the configuration file. Change it there.",
    when: "An operator changes a provider that the configuration file owns, or creates one under its id.",
  },
  provider_exists: {
    status: 409,
    type: "conflict_error",
    message: "The provider '{}' exists already.",
    when: "An operator creates a provider under an id that is taken.",
  },
  provider_in_use: {
    status: 409,
    type: "conflict_error",
    message: "The provider '{}' is used by the {}. Change or remove {} first.",
    when: "An operator removes a provider that stored models name.",
  },
  too_many_providers: {
    status: 409,
    type: "conflict_error",
    message: "The maximum of {} stored {} is reached.",
    when: "An operator adds a provider beyond the maximum.",
  },
  model_in_configuration: {
    status: 409,
    type: "conflict_error",
    message: "The model '{}' is defined in the configuration file. Change it there.",
    when: "An operator changes a model that the configuration file owns, or creates one under its id.",
  },
  model_exists: {
    status: 409,
    type: "conflict_error",
    message: "The {} '{}' exists already.",
    when: "An operator creates a model under an id that another model, or a route, has.",
  },
  model_in_use: {
    status: 409,
    type: "conflict_error",
    message: "The model '{}' is used by the {}. Change or remove {} first.",
    when: "An operator removes a model that stored routes name.",
  },
  too_many_models: {
    status: 409,
    type: "conflict_error",
    message: "The maximum of {} stored {} is reached.",
    when: "An operator adds a model beyond the maximum.",
  },
} as const satisfies ErrorGroup<"conflict_error">;
