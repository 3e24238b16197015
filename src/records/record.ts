import type { JsonObject } from "../json/values.ts";
import type { Charge } from "../billing/prices/prices.ts";
import type { Attribution } from "../attribution/attribution.ts";
import type { Usage } from "../metering/usage.ts";

/** How a request ended. */
export type RecordStatus = "succeeded" | "failed" | "cancelled" | "refused" | "pending";

/** The public facts of how a request was served. Names as callers see them, times in whole milliseconds. */
export interface RecordRouting {
  /** `direct` for a plain model. */
  readonly strategyName: string;
  /** Catalog id of the model that answered, null where none did. */
  readonly resolvedModel: string | null;
  /** The provider's id, null where none was called. */
  readonly provider: string | null;
  /** The HTTP status that the caller saw. 499 where the caller left before any. */
  readonly statusCode: number;
  /** The whole request. */
  readonly latencyMs: number;
  /** The caller's wait for the first byte; null if none was sent. */
  readonly timeToFirstByteMs: number | null;
  /** Of the attempt that answered: from sending the request to the last byte. Null where none answered. */
  readonly upstreamMs: number | null;
  /** Upstream calls made. */
  readonly attempts: number;
}

/** A whole answer with status 200 as its caller was sent it, kept for repetitions of its request. */
export interface KeptAnswer {
  readonly contentType: string;
  readonly body: string;
}

/** Kept of a finished request for repetitions under the same `Idempotency-Key`. */
export interface IdempotentEnd {
  readonly idempotencyKey: string;
  /** Null where it is not kept. */
  readonly answer: KeptAnswer | null;
}

/** What a provider said of a call that failed, for the operator. Bounded, without credentials, addresses and prompts. */
export interface ProviderWords {
  /** The provider's code or type of error, or the system's code for what broke. */
  readonly code: string | null;
  readonly message: string | null;
}

/** One upstream call that a request led to, for the operator. */
export interface RecordAttempt {
  /** Catalog id. */
  readonly model: string;
  readonly provider: string;
  /** The provider's own name for the model. */
  readonly upstreamModel: string;
  /** `lost`: another attempt was quicker. `cancelled`: the caller left, or its deadline passed. */
  readonly outcome: "answered" | "failed" | "lost" | "cancelled";
  /** The provider's HTTP status, null where there was none. */
  readonly status: number | null;
  /** The class of its fault. */
  readonly error: string | null;
  /** Null if it did not fail. */
  readonly words: ProviderWords | null;
  /** From the request's arrival to sending the attempt's, in whole milliseconds. Null for a single attempt that began at once. */
  readonly startedMs: number | null;
  /** From sending the request to the attempt's end, in whole milliseconds. */
  readonly latencyMs: number;
  /** What the provider will have charged the operator for it, at the prices in force; the caller pays for the answer alone. */
  readonly costMicrousd: number;
  /** `none`: nothing was produced. `estimated`: the provider did not say. */
  readonly cost: "none" | "measured" | "estimated";
}

/** The one durable document of a request. */
export interface UsageRecord {
  /** `req_...` */
  readonly id: string;
  /** The id in the gateway's answer (`chatcmpl-...`), by which the lookup finds the record too. */
  readonly responseId: string | null;
  readonly keyId: string;
  /** The account that is charged. */
  readonly accountId: string;
  /** What was held of a prepaid balance, in whole micro-USD; 0 for an unlimited account. */
  readonly heldMicrousd: number;
  /** The lease that it was held on. Goes to the store with the record, and is no longer in it when it is found. */
  readonly leaseId?: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** What the caller asked for. Empty where the body could not be read. */
  readonly model: string;
  /** Path of the request: `/v1/chat/completions`. */
  readonly endpoint: string;
  readonly stream: boolean;
  readonly status: RecordStatus;
  readonly error: { readonly type: string; readonly code: string | null } | null;
  readonly usage: Usage;
  readonly billing: Charge;
  readonly routing: RecordRouting;
  /** In the order in which they began. */
  readonly attempts: readonly RecordAttempt[];
  readonly providerUsage: {
    /** The dialect the provider spoke. */
    readonly family: string;
    readonly rawFields: Readonly<Record<string, unknown>>;
    /** The provider reported raw fields that were too long to keep, or that have no JSON form. */
    readonly omitted?: boolean;
  } | null;
  readonly attribution: Attribution;
  /** How a search backend was chosen, as its caller was told; absent if it was no search. */
  readonly routeReceipt?: JsonObject;
  /** The bodies of the request were kept when it ended; absent if its account does not want it. */
  readonly bodies?: "kept";
  /**
   * Only where the request had an `Idempotency-Key` and has used it up. Goes to the store with the record, to be found by
   * the key and no longer in the record.
   */
  readonly idempotent?: IdempotentEnd;
}
