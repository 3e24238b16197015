import type { Operation, OperationInput } from "../operations/operation.ts";
import type { Handlers, Method } from "./visit.ts";

/** The answers of one path, by method: operations of dialects, which are billable, and handlers of the gateway's own. */
export interface PathEntry {
  readonly path: string;
  readonly handlers: Handlers;
  readonly operations: Partial<Readonly<Record<Method, Operation<OperationInput>>>>;
}
