import type { KeptAnswer } from "../records/record.ts";

/** A request's hold on an `Idempotency-Key`. */
export interface Claim {
  /** The API key, within which an idempotency key is one. */
  readonly keyId: string;
  readonly idempotencyKey: string;
  readonly requestId: string;
}

/** A claim to be made. Times are milliseconds since 1970. */
export interface NewClaim extends Claim {
  /** What the request asks for: repetitions have the same. */
  readonly bodyHash: string;
  readonly now: number;
  /** From then on another request may take over, unless the claim is renewed. */
  readonly leaseUntil: number;
  /** A claim that was made before then is gone. */
  readonly aliveSince: number;
}

/** The claim that stands in the way of a new one. */
export interface StandingClaim {
  readonly requestId: string;
  readonly bodyHash: string;
  /** Whether its request has ended, so that it stands until it is gone. */
  readonly isFinished: boolean;
  /** Null where it runs, where its answer is not kept, and where the new claim is for another body. */
  readonly answer: KeptAnswer | null;
}

/**
 * Where claims are kept, so that several processes agree on them. Implemented by the storage room. How a claim's request
 * ended is committed with its usage record: see `RecordStore.insertAll`.
 */
export interface IdempotencyStore {
  /**
   * Makes the claim where its key is free: nobody's, gone, or held by a request whose lease has run out (its process has
   * died). Null where it was made, else the claim that stands.
   */
  claim(claim: NewClaim): Promise<StandingClaim | null>;
  /** Prolongs the leases of those that still hold their keys. */
  renew(claims: readonly Claim[], leaseUntil: number): Promise<void>;
  /** Frees the key where the claim still holds it and has not finished. */
  release(claim: Claim): Promise<void>;
  /** Removes at most `most` claims made before `aliveSince`, and says how many. */
  deleteGone(aliveSince: number, most: number): Promise<number>;
}
