import type { Clock } from "../clock.ts";
import { idempotencyConflict, overloaded } from "../errors.ts";
import type { KeptAnswer } from "../records/record.ts";
import type { Claim, IdempotencyStore, StandingClaim } from "./store.ts";

/** How long a key is remembered, in milliseconds. */
export const keptForMs = 24 * 60 * 60_000;

/**
 * How long a claim holds its key without renewal, so that the claims of a crashed process expire. Processes that share a
 * storage compare it with their own clocks, which must be roughly in sync.
 */
const leaseMs = 60_000;
const renewEveryMs = 20_000;

/** Maximum number of claims held by this process, one for each running request. */
const maxClaims = 10_000;

/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest extends Claim {
  readonly bodyHash: string;
}

/** Either the request may run, or its answer is replayed. */
export type Claimed =
  | { readonly kind: "claimed"; readonly claim: Claim }
  | { readonly kind: "replay"; readonly requestId: string; readonly answer: KeptAnswer };

/** Runs requests with the same `Idempotency-Key` once. */
export interface Idempotency {
  /**
   * Claims a request's key. The claim is held until `finish` or `release`.
   * @throws 409 `idempotency_conflict` if the key belongs to a request that is still running, that differs, or that has no
   * stored answer; 503 `storage_unavailable` if the storage fails
   */
  claim(request: IdempotentRequest): Promise<Claimed>;
  /** The request's record has been committed, which ended the claim. */
  finish(claim: Claim): void;
  /** The request was not served: frees its key. Never rejects: if it fails, the claim ends with its lease. */
  release(claim: Claim): Promise<void>;
  stop(): void;
}

export interface IdempotencyOptions {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly log: { warn(fields: Readonly<Record<string, unknown>>, message: string): void };
  /** Whether the storage is known to be unavailable. */
  readonly isStoreAway: () => boolean;
  /** Interval between two renewals. */
  readonly renewEveryMs?: number;
}

export function createIdempotency(options: IdempotencyOptions): Idempotency {
  const { store, clock, log, isStoreAway } = options;
  const held = new Set<Claim>();
  let renewing = false;

  const renew = async () => {
    if (renewing || held.size === 0) return;
    renewing = true;
    try {
      await store.renew([...held], clock.now() + leaseMs);
    } catch (error) {
      log.warn({ error: String(error) }, "Idempotency keys could not be renewed. The next round tries again.");
    } finally {
      renewing = false;
    }
  };
  const timer = setInterval(() => void renew(), options.renewEveryMs ?? renewEveryMs);
  timer.unref();

  async function claimInStore(request: IdempotentRequest): Promise<StandingClaim | null> {
    const now = clock.now();
    if (isStoreAway()) throw storageUnavailable();
    try {
      return await store.claim({ ...request, now, leaseUntil: now + leaseMs, aliveSince: now - keptForMs });
    } catch (error) {
      log.warn({ request_id: request.requestId, error: String(error) }, "An idempotency key could not be claimed.");
      // The claim may have succeeded, with only the answer lost.
      void release(request);
      throw storageUnavailable();
    }
  }

  async function release(claim: Claim): Promise<void> {
    held.delete(claim);
    if (isStoreAway()) return;
    try {
      await store.release(claim);
    } catch (error) {
      log.warn({ request_id: claim.requestId, error: String(error) }, "An idempotency key could not be released.");
    }
  }

  return {
    async claim(request) {
      if (held.size >= maxClaims) throw overloaded("overloaded", "Too many requests are running.", 1);
      const standing = await claimInStore(request);
      if (standing) return { kind: "replay", requestId: standing.requestId, answer: answerOf(standing, request) };
      const { keyId, idempotencyKey, requestId } = request;
      const claim = { keyId, idempotencyKey, requestId };
      held.add(claim);
      return { kind: "claimed", claim };
    },
    finish: (claim) => void held.delete(claim),
    release,
    stop: () => clearInterval(timer),
  };
}

/** Returns the stored answer if the request is a repetition. Throws a 409 if it is not, or there is no answer. */
function answerOf({ requestId, bodyHash, isFinished, answer }: StandingClaim, request: IdempotentRequest): KeptAnswer {
  if (bodyHash !== request.bodyHash) {
    throw idempotencyConflict(
      "This Idempotency-Key was used within the last 24 hours with a different path or body. Use a new key for a new request.",
      null,
    );
  }
  if (!isFinished) {
    throw idempotencyConflict(
      `The request with this Idempotency-Key, ${requestId}, is still running. Retry later to get its answer.`,
      1,
    );
  }
  if (answer) return answer;
  throw idempotencyConflict(
    `The request with this Idempotency-Key has ended, but its answer was not stored: it was streamed or too large. ` +
      `See GET /api/usage/requests/${requestId} for its record. Use a new key to run it again.`,
    null,
  );
}

function storageUnavailable() {
  const message = "Idempotency keys are unavailable at the moment. Try again shortly.";
  return overloaded("storage_unavailable", message, 5);
}
