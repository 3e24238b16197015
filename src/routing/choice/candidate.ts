import type { Model, Target } from "../names/model.ts";

/** One way to answer a request: a model, by one of its targets. */
export interface Candidate {
  readonly model: Model;
  readonly target: Target;
}
