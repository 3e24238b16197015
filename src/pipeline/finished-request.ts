import type { Identity } from "../access/identity.ts";
import type { Admission } from "../access/limits.ts";
import type { Observation } from "../dialects/exchange.ts";
import type { GatewayError } from "../errors.ts";
import type { Claim } from "../idempotency/store.ts";
import type { JsonObject } from "../json/values.ts";
import type { Operation, OperationInput } from "../operations/operation.ts";
import type { RecordStatus, UsageRecord } from "../records/record.ts";
import type { Plan } from "../routing/choice/plan.ts";
import type { Model } from "../routing/names/model.ts";
import type { Attempt } from "./attempt/attempt.ts";
import type { Funding } from "./balance/fund-request.ts";
import type { CallerDeadline } from "./caller-deadline.ts";
import type { Hold } from "./capacity/capacity.ts";
import type { RequestContext } from "./request-context.ts";
import type { Parsed } from "./stages.ts";
import type { RanSearch } from "./web-search/ran-search.ts";

/** The results of a request's stages; null for the stages that it did not reach. */
export interface Progress {
  readonly context: RequestContext;
  readonly operation: Pick<Operation<OperationInput>, "endpoint" | "isFree" | "errorFormat" | "countsTokens" | "names">;
  readonly identity: Identity | null;
  /** Its share of the gateway's capacity. */
  readonly hold: Hold | null;
  /** Its bookings of its key's limits. */
  readonly admission: Admission | null;
  readonly deadline: CallerDeadline | null;
  /** Its hold on an `Idempotency-Key`; null if it has none. */
  readonly claim: Claim | null;
  readonly parsed: Parsed | null;
  readonly plan: Plan | null;
  /** What it is charged to, and what is held for it. */
  readonly funding: Funding | null;
  /** In the order in which they began. */
  readonly attempts: readonly Attempt[];
  /** The searches that were made within it; null if its model could not search by the gateway. */
  readonly searches: readonly RanSearch[] | null;
  /** The job that it has begun; null if it begins none. */
  readonly job: DurableJob | null;
}

/** A job that is kept by itself, together with the record of the request that has begun it. */
export interface DurableJob {
  /** Keeps what has become of its submit, and the record. */
  settle(record: UsageRecord): Promise<void>;
}

/** How a request ended. */
export interface End {
  readonly status: RecordStatus;
  /** The HTTP status that the caller saw; 499 if it left before any. */
  readonly statusCode: number;
  readonly error: GatewayError | null;
  /** The output; null if there was none. */
  readonly observation: Observation | null;
  /** The model that answered; null if none did. */
  readonly model: Model | null;
  /** The attempt that answered; null if none did, or the gateway answered by itself. */
  readonly answeredBy: Attempt | null;
  /** Milliseconds of the steady clock at which the caller was sent the first byte; null if it was sent none. */
  readonly firstByteAt: number | null;
  /** The bytes for the caller, if they are one piece. */
  readonly whole: { readonly contentType: string; readonly body: string | Uint8Array } | null;
  /** How a search backend was chosen; absent if it was no search. */
  readonly receipt?: JsonObject | null;
  /** It has no record and no line in the log: its key is refused too often. */
  readonly isUnlogged?: true;
}

/** A request that is over: all that its record is made from. */
export interface FinishedRequest extends Progress, End {}
