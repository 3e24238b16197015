import type { Services } from "../pipeline/services.ts";

/** One request at one path. */
export interface Visit {
  readonly services: Services;
  readonly request: Request;
  /** As the caller asked for it, without the query. */
  readonly path: string;
  /** What stands in the place of the path's `:id`. */
  readonly id: string;
  /** To be called once when only the last bytes of a billable request may still be on their way. */
  readonly settled: () => void;
}

/** Answers at one path to one method. */
export type Handler = (visit: Visit) => Response | Promise<Response>;
