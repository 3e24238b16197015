import type { Services } from "../pipeline/services.ts";

/** One request at one of the gateway's own paths, which cost nothing and leave no record. */
export interface Visit {
  readonly services: Services;
  readonly request: Request;
  /** Without the query. */
  readonly path: string;
  /** The value of the path's `{id}`; empty if it has none. */
  readonly id: string;
}

/** Answers one method at one path. */
export type Handler = (visit: Visit) => Response | Promise<Response>;
