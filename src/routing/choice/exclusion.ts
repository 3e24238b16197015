import type { GatewayError } from "../../errors.ts";

/** A model, or one of its targets, that is left out of a plan, with the reason. */
export interface Exclusion {
  readonly model: string;
  /** Null if all targets of the model are excluded. */
  readonly provider: string | null;
  /** Shown to the caller. */
  readonly reason: string;
  /** The error for the caller if no other model is left. */
  readonly error: GatewayError;
}
