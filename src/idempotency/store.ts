import type { KeptAnswer } from "../records/record.ts";

/** The claim of a request on an `Idempotency-Key`. */
export interface Claim {
  /** The API key: idempotency keys are unique per API key. */
  readonly keyId: string;
  readonly idempotencyKey: string;
  readonly requestId: string;
}

/** A claim to be made. Times are milliseconds since 1970. */
export interface NewClaim extends Claim {
  /** Identifies the content of the request: repetitions have the same hash. */
  readonly bodyHash: string;
  readonly now: number;
  /** The time from which another request may take the key, unless the claim is renewed. */
  readonly leaseUntil: number;
  /** Claims made before this time have expired. */
  readonly aliveSince: number;
}

/** The existing claim on a key. */
export interface StandingClaim {
  readonly requestId: string;
  readonly bodyHash: string;
  /** Whether its request has ended; the claim then remains until it expires. */
  readonly isFinished: boolean;
  /** Null if the request is running, if its answer was not stored, or if the new claim has a different body. */
  readonly answer: KeptAnswer | null;
}

/**
 * Stores claims, shared by several processes. Implemented by `src/storage`. The outcome of a claim's request is committed
 * with its usage record: see `RecordStore.insertAll`.
 */
export interface IdempotencyStore {
  /**
   * Makes the claim if its key is free: unclaimed, expired, or held with an expired lease (its process crashed). Returns
   * null if the claim was made, otherwise the existing claim.
   */
  claim(claim: NewClaim): Promise<StandingClaim | null>;
  /** Extends the leases of the claims that still hold their keys. */
  renew(claims: readonly Claim[], leaseUntil: number): Promise<void>;
  /** Frees the key if the claim still holds it and is not finished. */
  release(claim: Claim): Promise<void>;
  /** Deletes up to `limit` claims made before `aliveSince`. Returns the number deleted. */
  deleteExpired(aliveSince: number, limit: number): Promise<number>;
}
