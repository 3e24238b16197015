import type { Observation } from "../dialects/exchange.ts";
import type { GatewayError } from "../errors.ts";
import type { RecordStatus } from "../records/record.ts";

/** How a request ended. */
export interface Outcome {
  readonly status: Exclude<RecordStatus, "pending">;
  /** What the caller saw; 499 where it left before any. */
  readonly statusCode: number;
  readonly error: GatewayError | null;
  /** What was produced, null where nothing was. */
  readonly observation: Observation | null;
  /** What the caller is sent, where that is one piece. */
  readonly whole?: { readonly contentType: string; readonly body: string | Uint8Array };
  /** A careful figure of the tokens read, where no provider tells. */
  readonly estimateInput: () => Promise<number>;
}
