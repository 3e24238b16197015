import type { GatewayError } from "../../errors.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import type { Candidate } from "./candidate.ts";
import { classOf } from "../health/fault-class.ts";
import type { Plan } from "./plan.ts";
import type { FaultClass, RetryRules } from "../names/route.ts";

/** The next step of a request that has no answer yet. */
export type Step =
  | { readonly kind: "attempt"; readonly entry: ScheduledCandidate; readonly credential: number }
  /** No candidate may be asked before this time. */
  | { readonly kind: "wait"; readonly until: number }
  /** All candidates left are at providers at their limit: queue for a slot at this one's, then make the attempt. */
  | { readonly kind: "queue"; readonly entry: ScheduledCandidate; readonly credential: number }
  | { readonly kind: "end" };

/** The state of one candidate. Only the schedule changes it. */
export interface ScheduledCandidate {
  readonly candidate: Candidate;
  /**
   * `fresh`: never asked, or to be asked with another credential. `failed`: may be asked again. `busy`: being prepared
   * or asked. `done`: not to be asked again.
   */
  state: "fresh" | "failed" | "done" | "busy";
  /** The state before `prepare`. */
  previousState: ScheduledCandidate["state"];
  /** The earliest time of the next attempt. Milliseconds since 1970. */
  retryAt: number;
  tries: number;
  readonly usedCredentials: number[];
}

/** One failed attempt. */
export interface Failure {
  readonly candidate: Candidate;
  readonly fault: UpstreamFault;
}

/**
 * Decides which candidate is asked next for one request: first those not asked yet, in the plan's order, then those that
 * failed and may be retried, within the bounds of the plan's retry rules. It makes no calls and does not wait.
 */
export interface RetrySchedule {
  readonly failures: readonly Failure[];
  /** The errors of skipped candidates, for the caller if none is left. */
  readonly skipErrors: readonly GatewayError[];
  next(): Step;
  /** Another candidate to ask while the first is silent; null if there is none. */
  nextToHedge(): Extract<Step, { kind: "attempt" }> | null;
  /** Reserves the candidate while its request is prepared. */
  prepare(entry: ScheduledCandidate): void;
  /** Ends the reservation without an attempt. The candidate may be asked later. */
  returnUnasked(entry: ScheduledCandidate): void;
  /** Starts the attempt, which uses a credential and counts towards the maximum. */
  begin(entry: ScheduledCandidate, credential: number): void;
  failed(entry: ScheduledCandidate, fault: UpstreamFault): void;
  /** Drops a candidate that cannot take this request. `reason` is added to `skipErrors`. */
  skip(entry: ScheduledCandidate, reason: GatewayError | null): void;
  /** Drops a candidate whose provider had no free slot in time. */
  queueTimedOut(entry: ScheduledCandidate): void;
}

export interface RetryScheduleOptions {
  readonly plan: Plan;
  /** Arrival of the request. Milliseconds since 1970. */
  readonly startedAt: number;
  /** The caller's deadline, in milliseconds since 1970; null if it set none. */
  readonly deadlineAt: number | null;
  readonly now: () => number;
  readonly random: () => number;
}

const firstBackoffMs = 250;
const maxBackoffMs = 8_000;

/** Used if the plan has no retry rules: no retry, unless the caller set a deadline. */
const noRetry: RetryRules = { attempts: null, budgetMs: Number.POSITIVE_INFINITY, on: [] };

/** If the policy does not set a number of attempts: one for each credential, but at least this many. */
const minAttempts = 3;

export function createRetrySchedule(options: RetryScheduleOptions): RetrySchedule {
  return new PlannedRetries(options);
}

class PlannedRetries implements RetrySchedule {
  readonly failures: Failure[] = [];
  readonly skipErrors: GatewayError[] = [];
  readonly #destination: Plan["destination"];
  readonly #entries: readonly ScheduledCandidate[];
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #mayWait: boolean;
  readonly #endsAt: number;
  readonly #maxAttempts: number;
  #attempts = 0;
  /** Candidates being prepared: each becomes an attempt, unless it is returned or skipped. */
  #preparing = 0;
  #isOver = false;

  constructor({ plan, startedAt, deadlineAt, now, random }: RetryScheduleOptions) {
    const { destination, candidates } = plan;
    const rules = destination.retry ?? noRetry;
    this.#destination = destination;
    this.#now = now;
    this.#random = random;
    this.#mayWait = destination.retry !== null || deadlineAt !== null;
    this.#endsAt = Math.min(startedAt + rules.budgetMs, deadlineAt ?? Number.POSITIVE_INFINITY);
    this.#entries = candidates.map(scheduled);
    this.#maxAttempts = rules.attempts ?? Math.max(minAttempts, credentialsOf(candidates));
  }

  next(): Step {
    if (!this.#mayContinue()) return { kind: "end" };
    let queued: Step | null = null;
    for (const entry of this.#entries) {
      const credential = askableCredential(entry);
      if (credential < 0) continue;
      if (!entry.candidate.target.health.provider.limiter.isFull) return { kind: "attempt", entry, credential };
      queued ??= { kind: "queue", entry, credential };
    }
    return queued ?? this.#nextWaiting();
  }

  nextToHedge(): Extract<Step, { kind: "attempt" }> | null {
    if (!this.#mayContinue()) return null;
    for (const entry of this.#entries) {
      const credential = askableCredential(entry);
      if (credential < 0 || entry.candidate.target.health.provider.limiter.isFull) continue;
      return { kind: "attempt", entry, credential };
    }
    return null;
  }

  prepare(entry: ScheduledCandidate): void {
    entry.previousState = entry.state;
    entry.state = "busy";
    this.#preparing++;
  }

  returnUnasked(entry: ScheduledCandidate): void {
    this.#preparing--;
    entry.state = entry.previousState;
  }

  begin(entry: ScheduledCandidate, credential: number): void {
    this.#preparing--;
    this.#attempts++;
    entry.tries++;
    entry.usedCredentials.push(credential);
  }

  failed(entry: ScheduledCandidate, fault: UpstreamFault): void {
    const { candidate } = entry;
    const { fallbackOn, retryOn } = this.#destination;
    const kind = classOf(fault);
    this.failures.push({ candidate, fault });
    if (kind === "caller" && this.#destination.backends?.survivesRefusal) {
      entry.state = "done";
      return;
    }
    if (kind === "caller" || (kind === "context_length" && !fallbackOn.has(kind))) {
      this.#isOver = true;
      return;
    }
    const isCredentials = kind === "credential" || kind === "rate_limit";
    if (isCredentials && candidate.target.health.pickCredential(entry.usedCredentials) >= 0) entry.state = "fresh";
    else if (retryOn.has(kind) || isWaitRequested(fault)) {
      entry.state = "failed";
      entry.retryAt = this.#now() + Math.max(backoffMs(entry.tries, this.#random()), fault.retryAfterMs ?? 0);
    } else entry.state = "done";
    for (const other of this.#entries) {
      const isWaiting = other.state === "fresh" || (other.state === "failed" && kind === "context_length");
      if (other !== entry && isWaiting && this.#isPointless(other.candidate, candidate, kind)) other.state = "done";
    }
  }

  skip(entry: ScheduledCandidate, reason: GatewayError | null): void {
    this.#preparing--;
    entry.state = "done";
    if (reason) this.skipErrors.push(reason);
  }

  queueTimedOut(entry: ScheduledCandidate): void {
    entry.state = "done";
  }

  /** The first attempt is always made: the budget may have run out while the body arrived. */
  #mayContinue(): boolean {
    if (this.#isOver || this.#attempts + this.#preparing >= this.#maxAttempts) return false;
    return this.#attempts === 0 || this.#now() <= this.#endsAt;
  }

  #nextWaiting(): Step {
    const [earliest] = this.#entries.toSorted((a, b) => askableAt(a) - askableAt(b));
    const at = earliest ? askableAt(earliest) : Number.POSITIVE_INFINITY;
    if (!earliest || !this.#mayWait || at > this.#endsAt || at === Number.POSITIVE_INFINITY) return { kind: "end" };
    if (at > this.#now()) return { kind: "wait", until: at };
    const { health } = earliest.candidate.target;
    const credential = health.pickCredential([]);
    if (credential < 0 || !health.circuit.admits()) {
      earliest.state = "done";
      return this.#nextWaiting();
    }
    return { kind: health.provider.limiter.isFull ? "queue" : "attempt", entry: earliest, credential };
  }

  /** Whether the policy, or the model's size, rules out a candidate after another one's fault. */
  #isPointless(other: Candidate, failed: Candidate, kind: FaultClass): boolean {
    if (!this.#destination.fallbackOn.has(kind)) return true;
    if (kind !== "context_length" || failed.model.contextLength === null) return false;
    return other.model.contextLength !== null && other.model.contextLength <= failed.model.contextLength;
  }
}

function scheduled(candidate: Candidate): ScheduledCandidate {
  return { candidate, state: "fresh", previousState: "fresh", retryAt: 0, tries: 0, usedCredentials: [] };
}

function credentialsOf(candidates: readonly Candidate[]): number {
  let sum = 0;
  for (const { target } of candidates) sum += target.health.provider.apiKeys.length;
  return sum;
}

/** The credential with which a fresh candidate may be asked now; -1 if it may not. */
function askableCredential({ state, candidate, usedCredentials }: ScheduledCandidate): number {
  if (state !== "fresh") return -1;
  const { health } = candidate.target;
  return health.circuit.admits() ? health.pickCredential(usedCredentials) : -1;
}

/** The time at which a waiting entry may be asked; infinite if it is not worth waiting for. */
function askableAt({ state, candidate, retryAt }: ScheduledCandidate): number {
  if (state !== "failed" && state !== "fresh") return Number.POSITIVE_INFINITY;
  const { health } = candidate.target;
  const { circuit } = health;
  // Wait for a target only if its provider asked for a wait.
  if (circuit.state !== "closed" && !circuit.isWaitRequested) return Number.POSITIVE_INFINITY;
  if (state === "fresh" && !circuit.isWaitRequested) return Number.POSITIVE_INFINITY;
  return Math.max(retryAt, circuit.openUntil ?? 0, health.credentialAt());
}

function isWaitRequested(fault: UpstreamFault): boolean {
  return fault.retryAfterMs !== null && ["rate_limit", "overloaded"].includes(classOf(fault));
}

/**
 * Milliseconds to wait before a target is asked again: full jitter below a bound that doubles with each try, so that
 * requests that failed together are not repeated together.
 * @param tries the number of failed attempts so far, from 1
 * @param random from 0 to below 1
 */
export function backoffMs(tries: number, random: number): number {
  return random * Math.min(maxBackoffMs, firstBackoffMs * 2 ** (tries - 1));
}
