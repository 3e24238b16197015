import type { Answer } from "../pipeline/answer.ts";
import type { ServerExchange } from "../server/exchange.ts";
import type { Services } from "../pipeline/services.ts";

/** One request at one of the gateway's own paths, which cost nothing and leave no record. */
export interface Visit {
  readonly services: Services;
  readonly request: ServerExchange;
  /** Without the query. */
  readonly path: string;
  /** The value of the path's `{id}`; empty if it has none. */
  readonly id: string;
  /**
   * Checks once more who asks, after a body was read: while it came, a key can be disabled and a user removed.
   * @throws 401 or 403; absent: nothing to check
   */
  readonly checkAgain?: () => Promise<unknown>;
}

/** A method that a path may have. */
export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Answers one method at one path. */
export type Handler = (visit: Visit) => Answer | Promise<Answer>;

/** The handlers of one path. */
export type Handlers = Partial<Readonly<Record<Method, Handler>>>;

/** The query of a request's target. */
export function queryOf(target: string): URLSearchParams {
  const at = target.indexOf("?");
  return new URLSearchParams(at < 0 ? "" : target.slice(at));
}
