import type { SearchBackend } from "../search/backend.ts";

/** One attempt of a request, for an answer that tells of it. */
export interface WayAttempt {
  /** The id of the backend. */
  readonly id: string;
  /** The kind of an `UpstreamFault` and its status; null if it did not fail. */
  readonly fault: { readonly kind: string; readonly status: number | null } | null;
  /** Whether the caller is given its answer. */
  readonly hasAnswered: boolean;
  readonly latencyMs: number;
}

/** A backend that was looked at. */
export interface WayBackend {
  readonly id: string;
  readonly settings: SearchBackend | null;
  /** `excluded`: it cannot take the request. `unhealthy`, `full`: it could not be asked. */
  readonly state: "able" | "excluded" | "unhealthy" | "full";
}

/** How the answer to a request was found, or was not: what its receipt is made from. */
export interface RequestWay {
  readonly requestId: string;
  /** The caller has named a backend or a provider. */
  readonly isExplicit: boolean;
  /** The id of the backend that the caller has named; null if there were several to choose from. */
  readonly named: string | null;
  /** All behind the name, in the order of the configuration. */
  readonly backends: readonly WayBackend[];
  /** The ids of those that can take the request, in the order in which they are asked. */
  readonly candidates: readonly string[];
  /** In the order in which they began. */
  readonly attempts: readonly WayAttempt[];
  /** Callers do not see which provider served them. */
  readonly hideProvider: boolean;
}
