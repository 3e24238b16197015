import type { Clock } from "../clock.ts";
import { invalidRequest, overloaded, rateLimitExceeded } from "../errors.ts";
import type { Identity } from "./identity.ts";
import { type RateLimitHeaders, rateLimitHeaders } from "./rate-limit-headers.ts";
import { book, bookedAt, emptyWindow, type SlidingWindow, unbook, waitUntilFreed } from "./sliding-window.ts";

/**
 * Enforces the limits of keys exactly: the check and the booking are one synchronous step, so concurrent requests cannot
 * exceed a limit together.
 */
export interface Limiter {
  /**
   * Books one request and one request in flight. A free request is booked in a bucket of its own, which keys without
   * limits have too.
   * @throws 429 `requests_per_minute` or `concurrent_requests`; nothing is booked then
   */
  admit(identity: Identity, isFree?: boolean): Admission;
  /** The current `x-ratelimit-*` headers of a key, for a request that was not admitted. */
  headers(identity: Identity): RateLimitHeaders;
}

/** The bookings of one request. Ends with `giveBack` (the request was refused), or with `correctTokens` and `release`. */
export interface Admission {
  /**
   * Books the estimated tokens of the request. Call it once.
   * @throws 429 `tokens_per_minute`, or 400 if the request alone exceeds the limit; nothing is booked then
   */
  bookTokens(estimate: number): void;
  /** Replaces the estimate by the actual tokens: a surplus is returned at the time of booking, an excess is booked now. */
  correctTokens(actual: number): void;
  /** Cancels all bookings of a refused request, and releases it. */
  giveBack(): void;
  /** Ends the request in flight. Idempotent. */
  release(): void;
  /** The current `x-ratelimit-*` headers, for the limits that the key has. */
  headers(): RateLimitHeaders;
}

/** The bookings of one key. */
export interface KeyState {
  readonly requests: SlidingWindow;
  /** Requests that cost nothing: token counts. */
  readonly free: SlidingWindow;
  readonly tokens: SlidingWindow;
  inFlight: number;
}

/** Above this number of keys, idle ones are dropped, at most once a second. */
const sweepAboveKeys = 1_000;
const sweepEveryMs = 1_000;

/**
 * @param maxFreePerMinute free requests of a key; 0: no limit
 * @param maxKeys limited keys that may be active within one minute; beyond it, new ones get a 503
 */
export function createLimiter(clock: Clock, maxFreePerMinute = 0, maxKeys = 10_000): Limiter {
  const states = new Map<string, KeyState>();
  const now = monotonicTime(clock);
  let nextSweepAt = 0;

  function stateOf(keyId: string): KeyState {
    const known = states.get(keyId);
    if (known !== undefined) return known;
    if (states.size >= Math.min(sweepAboveKeys, maxKeys) && now() >= nextSweepAt) {
      nextSweepAt = now() + sweepEveryMs;
      for (const [id, state] of states) if (isIdle(state, now())) states.delete(id);
    }
    if (states.size >= maxKeys) {
      throw overloaded("overloaded", "Too many API keys are active at once. Retry in 1 second.", 1);
    }
    const state = { requests: emptyWindow(), free: emptyWindow(), tokens: emptyWindow(), inFlight: 0 };
    states.set(keyId, state);
    return state;
  }

  return {
    admit(identity, isFree = false) {
      const { id, limits } = identity.key;
      const { requestsPerMinute, tokensPerMinute, concurrentRequests } = limits;
      const isUnlimited = requestsPerMinute === null && tokensPerMinute === null && concurrentRequests === null;
      const freePerMinute = isFree && maxFreePerMinute > 0 ? maxFreePerMinute : null;
      if (isUnlimited && freePerMinute === null) return unlimited;
      return new LimitedAdmission(identity, stateOf(id), now, isFree, isFree ? freePerMinute : requestsPerMinute);
    },
    headers: (identity) => rateLimitHeaders(identity.key.limits, states.get(identity.key.id), now()),
  };
}

/** The admission of a key without limits: nothing is counted. */
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
  /** Where the request itself is booked. */
  readonly #requests: SlidingWindow;
  readonly #requestSlot: number;
  #tokensSlot = -1;
  #tokens = 0;
  #inFlight = true;
  /** The tokens have been corrected or given back: the bookings no longer change. */
  #final = false;

  constructor(identity: Identity, state: KeyState, now: () => number, isFree: boolean, perMinute: number | null) {
    this.#identity = identity;
    this.#state = state;
    this.#now = now;
    this.#requests = isFree ? state.free : state.requests;
    const { concurrentRequests } = identity.key.limits;
    const time = now();
    if (perMinute !== null) {
      const wait = waitForRoom(this.#requests, 1, perMinute, time);
      const noun = isFree ? "token count" : "request";
      if (wait > 0) throw tooMany("requests_per_minute", `${counted(perMinute, noun)} per minute`, wait);
    }
    if (concurrentRequests !== null && state.inFlight >= concurrentRequests) {
      throw tooMany("concurrent_requests", counted(concurrentRequests, "concurrent request"), 1);
    }
    this.#requestSlot = perMinute === null ? -1 : book(this.#requests, 1, time);
    state.inFlight++;
  }

  bookTokens(estimate: number): void {
    const limit = this.#identity.key.limits.tokensPerMinute;
    if (limit === null) return;
    if (estimate > limit) {
      throw invalidRequest(
        "request_over_token_limit",
        `The request is estimated at ${counted(estimate, "token")}, which exceeds the limit of this API key: ` +
          `${counted(limit, "token")} per minute. Send a smaller request.`,
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
      unbook(this.#requests, 1, this.#requestSlot);
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

/** Milliseconds until `amount` fits within the limit; 0 if it fits now. */
function waitForRoom(window: SlidingWindow, amount: number, limit: number, now: number): number {
  return waitUntilFreed(window, bookedAt(window, now) + amount - limit, now);
}

function tooMany(code: Parameters<typeof rateLimitExceeded>[0], limit: string, waitMs: number) {
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  const message = `Rate limit of this API key reached: ${limit}. Retry in ${counted(seconds, "second")}.`;
  return rateLimitExceeded(code, message, seconds);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function isIdle(state: KeyState, now: number): boolean {
  const { inFlight, requests, free, tokens } = state;
  return inFlight === 0 && [requests, free, tokens].every((window) => bookedAt(window, now) === 0);
}

/** Monotonic time in whole milliseconds: it does not go backwards if the clock is set back. */
function monotonicTime(clock: Clock): () => number {
  let last = 0;
  let shift = 0;
  return () => {
    const time = Math.floor(clock.now()) + shift;
    if (time < last) shift += last - time;
    else last = time;
    return last;
  };
}
