import type { Clock } from "../clock.ts";
import { idempotencyConflict, overloaded } from "../errors.ts";
import type { KeptAnswer } from "../records/record.ts";
import type { Claim, IdempotencyStore, StandingClaim } from "./store.ts";

/** How long a key stands for its request, in milliseconds. */
export const keptForMs = 24 * 60 * 60_000;

/**
 * How long a claim holds its key unless it is renewed: what is left of a process that died ends after that. Processes
 * that share a storage compare it by their own clocks, so those must not be far apart.
 */
const leaseMs = 60_000;
const renewEveryMs = 20_000;

/** Claims held by this process at once, each by a request on its way. */
const mostClaims = 10_000;

/** A request that came with an `Idempotency-Key`. */
export interface IdempotentRequest extends Claim {
  readonly bodyHash: string;
}

/** The request may run, or its answer is there already. */
export type Claimed =
  | { readonly kind: "claimed"; readonly claim: Claim }
  | { readonly kind: "replay"; readonly requestId: string; readonly answer: KeptAnswer };

/** Lets requests with the same `Idempotency-Key` run once. */
export interface Idempotency {
  /**
   * Claims a request's key. The claim is held until `finish` or `release`.
   * @throws 409 `idempotency_conflict` where the key stands for a request that runs, that asked for something else, or
   * whose answer is not kept; 503 `storage_unavailable` where nobody can tell
   */
  claim(request: IdempotentRequest): Promise<Claimed>;
  /** The request's record has been committed with what ends its claim. */
  finish(claim: Claim): void;
  /** The request came to nothing: its key is free again. Never rejects: what fails here ends with the lease. */
  release(claim: Claim): Promise<void>;
  stop(): void;
}

export interface IdempotencyOptions {
  readonly store: IdempotencyStore;
  readonly clock: Clock;
  readonly log: { warn(fields: Readonly<Record<string, unknown>>, message: string): void };
  /** Whether the storage is known not to answer. */
  readonly isStoreAway: () => boolean;
  /** Between two renewals. */
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
      log.warn({ error: String(error) }, "idempotency keys could not be renewed; the next round tries again");
    } finally {
      renewing = false;
    }
  };
  const timer = setInterval(() => void renew(), options.renewEveryMs ?? renewEveryMs);
  timer.unref();

  async function ask(request: IdempotentRequest): Promise<StandingClaim | null> {
    const now = clock.now();
    if (isStoreAway()) throw storeAway();
    try {
      return await store.claim({ ...request, now, leaseUntil: now + leaseMs, aliveSince: now - keptForMs });
    } catch (error) {
      log.warn({ request_id: request.requestId, error: String(error) }, "an idempotency key could not be claimed");
      // It may have been claimed after all, with only the answer lost.
      void release(request);
      throw storeAway();
    }
  }

  async function release(claim: Claim): Promise<void> {
    held.delete(claim);
    if (isStoreAway()) return;
    try {
      await store.release(claim);
    } catch (error) {
      log.warn({ request_id: claim.requestId, error: String(error) }, "an idempotency key could not be released");
    }
  }

  return {
    async claim(request) {
      if (held.size >= mostClaims) throw overloaded("overloaded", "Too many requests are running.", 1);
      const standing = await ask(request);
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

/** The answer of the request that a key stands for, where this one may have it. */
function answerOf({ requestId, bodyHash, isFinished, answer }: StandingClaim, request: IdempotentRequest): KeptAnswer {
  if (bodyHash !== request.bodyHash) {
    throw idempotencyConflict(
      "This Idempotency-Key was used within the last 24 hours with another body or path. Use a new key for a new request.",
      null,
    );
  }
  if (!isFinished) {
    throw idempotencyConflict(
      `The request with this Idempotency-Key, ${requestId}, is still running. Repeat it later to get its answer.`,
      1,
    );
  }
  if (answer) return answer;
  throw idempotencyConflict(
    `The request with this Idempotency-Key has ended, and its answer is not kept since it was streamed or is too large. ` +
      `GET /api/usage/requests/${requestId} has its record. Use a new key to run it again.`,
    null,
  );
}

function storeAway() {
  const message = "An Idempotency-Key cannot be honoured at the moment; try again shortly.";
  return overloaded("storage_unavailable", message, 5);
}
