import type { GatewayError } from "../../errors.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import { backoffMs } from "./backoff.ts";
import type { Candidate } from "./candidate.ts";
import { classOf } from "../health/fault-class.ts";
import type { Plan } from "./plan.ts";
import type { FaultClass, RetryRules } from "../names/route.ts";

/** What to do next for a request that nobody has answered yet. */
export type Step =
  | { readonly kind: "attempt"; readonly entry: Entry; readonly credential: number }
  /** Nobody may be asked before that moment. */
  | { readonly kind: "wait"; readonly until: number }
  /** Only providers with no free place are left: wait for one at this one's, then make the attempt. */
  | { readonly kind: "queue"; readonly entry: Entry; readonly credential: number }
  | { readonly kind: "end" };

/** What has been done with one candidate. Only the pursuit changes it. */
export interface Entry {
  readonly candidate: Candidate;
  /** Never asked, or to be asked with another credential; failed, and may be asked again; of no more use. */
  state: "fresh" | "failed" | "done" | "busy";
  /** What it was before it was taken. */
  takenFrom: Entry["state"];
  /** From when on it may be asked again. Milliseconds since 1970. */
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
 * Decides, attempt after attempt, who is asked next for one request: those who were not asked yet in the plan's order,
 * then those who failed and may do better, within the bounds of the plan's retry rules. Knows no network and no waiting.
 */
export interface Pursuit {
  readonly failures: readonly Failure[];
  /** What kept candidates from being asked at all. */
  readonly refusals: readonly GatewayError[];
  next(): Step;
  /** Another one to be asked while the first is silent; null where there is none. */
  nextToHedge(): Extract<Step, { kind: "attempt" }> | null;
  /** The candidate is being prepared for: nobody else asks it meanwhile. */
  take(entry: Entry): void;
  /** It was not asked after all, and may be later. */
  putBack(entry: Entry): void;
  /** The attempt is really made: a credential and one of the attempts are used. */
  begin(entry: Entry, credential: number): void;
  failed(entry: Entry, fault: UpstreamFault): void;
  /** The candidate can do nothing with this request, and was not asked. */
  passOver(entry: Entry, why: GatewayError | null): void;
  /** No place came free. */
  gaveUpQueueing(entry: Entry): void;
}

export interface PursuitOptions {
  readonly plan: Plan;
  /** When the request came. Milliseconds since 1970. */
  readonly startedAt: number;
  /** When its caller gives up; null where it did not say. */
  readonly deadlineAt: number | null;
  readonly now: () => number;
  readonly random: () => number;
}

/** Without rules of its own a request is not tried again, unless its caller said how long it may take. */
const noRetry: RetryRules = { attempts: null, budgetMs: Number.POSITIVE_INFINITY, on: [] };

/** Where a policy does not say how many attempts: each target once, and three at least. */
const fewestAttempts = 3;

export function createPursuit({ plan, startedAt, deadlineAt, now, random }: PursuitOptions): Pursuit {
  const { destination, candidates } = plan;
  const rules = destination.retry ?? noRetry;
  const { retryOn } = destination;
  const waits = destination.retry !== null || deadlineAt !== null;
  const endsAt = Math.min(startedAt + rules.budgetMs, deadlineAt ?? Number.POSITIVE_INFINITY);
  const entries = candidates.map((candidate): Entry => ({
    candidate,
    state: "fresh",
    takenFrom: "fresh",
    retryAt: 0,
    tries: 0,
    usedCredentials: [],
  }));
  const failures: Failure[] = [];
  const refusals: GatewayError[] = [];
  let attempts = 0;
  /** Candidates that are prepared for: each will be an attempt, unless it is put back. */
  let preparing = 0;
  let isOver = false;

  const credentialsOf = ({ candidate }: Entry) => candidate.target.health.provider.apiKeys.length;
  const mostAttempts =
    rules.attempts ??
    Math.max(
      fewestAttempts,
      entries.reduce((sum, entry) => sum + credentialsOf(entry), 0),
    );

  /** The first that may be asked now; null where none may. */
  const firstFresh = (onFull: (step: Step) => void): Extract<Step, { kind: "attempt" }> | null => {
    for (const entry of entries) {
      if (entry.state !== "fresh") continue;
      const { health } = entry.candidate.target;
      if (!health.circuit.admits()) continue;
      const credential = health.pickCredential(entry.usedCredentials);
      if (credential < 0) continue;
      if (health.provider.gate.isFull) onFull({ kind: "queue", entry, credential });
      else return { kind: "attempt", entry, credential };
    }
    return null;
  };

  /** From when on an entry that must wait may be asked; infinite where waiting for it makes no sense. */
  const mayBeAskedAt = ({ state, candidate, retryAt }: Entry): number => {
    if (state !== "failed" && state !== "fresh") return Number.POSITIVE_INFINITY;
    const { health } = candidate.target;
    const { circuit } = health;
    // A target that is sick is not waited for; one that has said how long is.
    if (circuit.state !== "closed" && !circuit.isWaitTold) return Number.POSITIVE_INFINITY;
    if (state === "fresh" && !circuit.isWaitTold) return Number.POSITIVE_INFINITY;
    return Math.max(retryAt, circuit.openUntil ?? 0, health.credentialAt());
  };

  const later = (): Step => {
    const [soonest] = entries.toSorted((a, b) => mayBeAskedAt(a) - mayBeAskedAt(b));
    const at = soonest ? mayBeAskedAt(soonest) : Number.POSITIVE_INFINITY;
    if (!soonest || !waits || at > endsAt || at === Number.POSITIVE_INFINITY) return { kind: "end" };
    if (at > now()) return { kind: "wait", until: at };
    const { health } = soonest.candidate.target;
    const credential = health.pickCredential([]);
    if (credential < 0 || !health.circuit.admits()) {
      soonest.state = "done";
      return later();
    }
    return { kind: health.provider.gate.isFull ? "queue" : "attempt", entry: soonest, credential };
  };

  // However late it is, the first attempt is made: the time may have gone by while the body arrived.
  const mayGoOn = () => !isOver && attempts + preparing < mostAttempts && (attempts === 0 || now() <= endsAt);

  return {
    failures,
    refusals,
    next() {
      if (!mayGoOn()) return { kind: "end" };
      let queued: Step | null = null;
      const step = firstFresh((whereFull) => (queued ??= whereFull));
      return step ?? queued ?? later();
    },
    nextToHedge() {
      return mayGoOn() ? firstFresh(() => {}) : null;
    },
    take(entry) {
      entry.takenFrom = entry.state;
      entry.state = "busy";
      preparing++;
    },
    putBack(entry) {
      preparing--;
      entry.state = entry.takenFrom;
    },
    begin(entry, credential) {
      preparing--;
      attempts++;
      entry.tries++;
      entry.usedCredentials.push(credential);
    },
    failed(entry, fault) {
      const { candidate } = entry;
      const kind = classOf(fault);
      failures.push({ candidate, fault });
      if (kind === "caller" || (kind === "context_length" && !destination.fallbackOn.has(kind))) {
        isOver = true;
        return;
      }
      const isCredentials = kind === "credential" || kind === "rate_limit";
      if (isCredentials && candidate.target.health.pickCredential(entry.usedCredentials) >= 0) entry.state = "fresh";
      else if (retryOn.has(kind) || isWaitTold(fault)) {
        entry.state = "failed";
        entry.retryAt = now() + Math.max(backoffMs(entry.tries, random()), fault.retryAfterMs ?? 0);
      } else entry.state = "done";
      for (const other of entries) {
        const isWaiting = other.state === "fresh" || (other.state === "failed" && kind === "context_length");
        if (other !== entry && isWaiting && isOfNoUse(other.candidate, candidate, kind)) other.state = "done";
      }
    },
    passOver(entry, why) {
      preparing--;
      entry.state = "done";
      if (why) refusals.push(why);
    },
    gaveUpQueueing(entry) {
      entry.state = "done";
    },
  };

  /** Whether a candidate is not worth asking, or not to be asked, after another's fault. */
  function isOfNoUse(other: Candidate, failed: Candidate, kind: FaultClass): boolean {
    if (!destination.fallbackOn.has(kind)) return true;
    if (kind !== "context_length" || failed.model.contextLength === null) return false;
    return other.model.contextLength !== null && other.model.contextLength <= failed.model.contextLength;
  }

  function isWaitTold(fault: UpstreamFault): boolean {
    return fault.retryAfterMs !== null && ["rate_limit", "overloaded"].includes(classOf(fault));
  }
}
