import type { GatewayError } from "../../errors.ts";

/** Why a model, or one of its targets, is not asked. */
export interface Exclusion {
  readonly model: string;
  /** Null where all of the model's targets are excluded alike. */
  readonly provider: string | null;
  /** For the caller: safe to show. */
  readonly reason: string;
  /** What the caller is told where this model is the only one. */
  readonly error: GatewayError;
}
