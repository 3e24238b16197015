import type { Clock } from "../clock.ts";
import { invalidRequest, overloaded, rateLimitExceeded } from "../errors.ts";
import type { Identity } from "./identity.ts";
import { type RateLimitHeaders, rateLimitHeaders } from "./rate-limit-headers.ts";
import { book, bookedAt, emptyWindow, type SlidingWindow, unbook, waitUntilGone } from "./sliding-window.ts";

/**
 * Keeps keys within their limits, exactly: nothing is awaited between looking and booking, so requests that arrive
 * together cannot pass together.
 */
export interface Limiter {
  /**
   * Books one request and one place in flight; of a free request only the place.
   * @throws 429 `requests_per_minute` or `concurrent_requests`, having booked nothing
   */
  admit(identity: Identity, isFree?: boolean): Admission;
  /** The `x-ratelimit-*` headers of a key as it stands now, for a request that was not admitted. */
  headers(identity: Identity): RateLimitHeaders;
}

/** What one request has booked. Ends in `giveBack` (it was refused) or in `correctTokens`, then `release`. */
export interface Admission {
  /**
   * Books the tokens that the request is thought to take; once.
   * @throws 429 `tokens_per_minute`, or 400 where the call alone is above the whole limit; having booked none
   */
  bookTokens(estimate: number): void;
  /** Replaces the estimate by what was really used: less is given back where it was booked, more is booked now. */
  correctTokens(actual: number): void;
  /** For a refused request, which consumes nothing: takes back all that was booked, and releases its place. */
  giveBack(): void;
  /** Frees the place in flight. Once or more often is the same. */
  release(): void;
  /** The `x-ratelimit-*` headers as they stand now, for those limits that the key has. */
  headers(): RateLimitHeaders;
}

/** What is remembered of one key. */
export interface KeyState {
  readonly requests: SlidingWindow;
  readonly tokens: SlidingWindow;
  inFlight: number;
}

/** Above this many keys, those that have been idle for a minute are forgotten, at most once a second. */
const sweepAboveKeys = 1_000;
const sweepEveryMs = 1_000;

/** @param maximumKeys how many limited keys may be active in one minute; beyond it new ones are told to come back */
export function createLimiter(clock: Clock, maximumKeys = 10_000): Limiter {
  const states = new Map<string, KeyState>();
  const now = steadyTime(clock);
  let nextSweepAt = 0;

  function stateOf(keyId: string): KeyState {
    const known = states.get(keyId);
    if (known !== undefined) return known;
    if (states.size >= Math.min(sweepAboveKeys, maximumKeys) && now() >= nextSweepAt) {
      nextSweepAt = now() + sweepEveryMs;
      for (const [id, state] of states) if (isIdle(state, now())) states.delete(id);
    }
    if (states.size >= maximumKeys) {
      throw overloaded("overloaded", "Too many API keys are active at once. Retry in 1 second.", 1);
    }
    const state = { requests: emptyWindow(), tokens: emptyWindow(), inFlight: 0 };
    states.set(keyId, state);
    return state;
  }

  return {
    admit(identity, isFree = false) {
      const { id, limits } = identity.key;
      const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits;
      if (requestsPerMinute === null && tokensPerMinute === null && concurrentRequests === null) return unlimited;
      return new LimitedAdmission(identity, stateOf(id), now, isFree);
    },
    headers: (identity) => rateLimitHeaders(identity.key.limits, states.get(identity.key.id), now()),
  };
}

/** A key without limits: nothing is counted. */
const unlimited: Admission = {
  bookTokens() {},
  correctTokens() {},
  giveBack() {},
  release() {},
  headers: () => ({}),
};

class LimitedAdmission implements Admission {
  readonly #identity: Identity;
  readonly #state: KeyState;
  readonly #now: () => number;
  readonly #requestSlot: number;
  #tokensSlot = -1;
  #tokens = 0;
  #inFlight = true;
  /** Whether tokens have been corrected or all given back: what is booked stays as it is. */
  #final = false;

  constructor(identity: Identity, state: KeyState, now: () => number, isFree: boolean) {
    this.#identity = identity;
    this.#state = state;
    this.#now = now;
    const { concurrentRequests } = identity.key.limits;
    const requestsPerMinute = isFree ? null : identity.key.limits.requestsPerMinute;
    const time = now();
    if (requestsPerMinute !== null) {
      const wait = waitForRoom(state.requests, 1, requestsPerMinute, time);
      if (wait > 0) throw tooMany("requests_per_minute", `${counted(requestsPerMinute, "request")} per minute`, wait);
    }
    if (concurrentRequests !== null && state.inFlight >= concurrentRequests) {
      throw tooMany("concurrent_requests", `${counted(concurrentRequests, "request")} at the same time`, 1);
    }
    this.#requestSlot = requestsPerMinute === null ? -1 : book(state.requests, 1, time);
    state.inFlight++;
  }

  bookTokens(estimate: number): void {
    const limit = this.#identity.key.limits.tokensPerMinute;
    if (limit === null) return;
    if (estimate > limit) {
      throw invalidRequest(
        "tokens_per_minute",
        `This request is estimated at ${counted(estimate, "token")}; this API key may use ` +
          `${counted(limit, "token")} per minute in all, so waiting does not help. Send less in one request.`,
      );
    }
    const time = this.#now();
    const wait = waitForRoom(this.#state.tokens, estimate, limit, time);
    if (wait > 0) throw tooMany("tokens_per_minute", `${counted(limit, "token")} per minute`, wait);
    this.#tokensSlot = book(this.#state.tokens, estimate, time);
    this.#tokens = estimate;
  }

  correctTokens(actual: number): void {
    if (this.#final || this.#identity.key.limits.tokensPerMinute === null) return;
    this.#final = true;
    const { tokens } = this.#state;
    if (actual < this.#tokens) unbook(tokens, this.#tokens - actual, this.#tokensSlot);
    else if (actual > this.#tokens) book(tokens, actual - this.#tokens, this.#now());
  }

  giveBack(): void {
    if (!this.#final) {
      this.#final = true;
      unbook(this.#state.requests, 1, this.#requestSlot);
      unbook(this.#state.tokens, this.#tokens, this.#tokensSlot);
    }
    this.release();
  }

  release(): void {
    if (this.#inFlight) this.#state.inFlight--;
    this.#inFlight = false;
  }

  headers(): RateLimitHeaders {
    return rateLimitHeaders(this.#identity.key.limits, this.#state, this.#now());
  }
}

/** Milliseconds until `amount` fits below the limit; 0 where it fits now. */
function waitForRoom(window: SlidingWindow, amount: number, limit: number, now: number): number {
  return waitUntilGone(window, bookedAt(window, now) + amount - limit, now);
}

function tooMany(code: Parameters<typeof rateLimitExceeded>[0], limit: string, waitMs: number) {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const message = `The limit of this API key is reached: ${limit}. Retry in ${counted(seconds, "second")}.`;
  return rateLimitExceeded(code, message, seconds);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function isIdle(state: KeyState, now: number): boolean {
  return state.inFlight === 0 && bookedAt(state.requests, now) === 0 && bookedAt(state.tokens, now) === 0;
}

/** Time that stands still where the clock is set back, so that a window neither freezes nor forgets. */
function steadyTime(clock: Clock): () => number {
  let last = 0;
  let shift = 0;
  return () => {
    const time = clock.now() + shift;
    if (time < last) shift += last - time;
    else last = time;
    return last;
  };
}
