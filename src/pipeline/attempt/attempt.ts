import type { Clock } from "../../clock.ts";
import type { RecordAttempt } from "../../records/record.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import { classOf } from "../../routing/health/fault-class.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";

/** One upstream call for a request: what came of it, told to its target's health. Its first outcome counts. */
export interface Attempt {
  readonly candidate: Candidate;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** How it ended; null while it is under way. */
  readonly outcome: RecordAttempt["outcome"] | null;
  /** The provider's HTTP status. */
  readonly status: number | null;
  readonly error: string | null;
  /** From its beginning to its outcome. */
  readonly latencyMs: number;
  /** The provider took the request on, so that it may charge for it. */
  readonly wasTakenOn: boolean;
  /** It was the one whose answer the caller is given, to its end or not. */
  readonly hasAnswered: boolean;
  headArrived(status: number): void;
  /** The first byte of a good answer, or all of it, is here. */
  answered(): void;
  succeeded(): void;
  failed(fault: UpstreamFault): void;
  /** It ended for a reason that says nothing of its target. */
  abandoned(outcome: "lost" | "cancelled"): void;
  /** The call to the provider is over. */
  readonly callEnded: () => void;
}

/** Faults before which nothing was produced: the connection failed, or the provider said no. */
const freeFaults = new Set(["unreachable", "connect_timeout", "status"]);

/** Begins an attempt, which takes a place at its provider until the call has ended. */
export function beginAttempt(clock: Clock, candidate: Candidate, credential: number): Attempt {
  const { health } = candidate.target;
  const watch = health.begin(credential);
  const startedAt = clock.now();
  let outcome: Attempt["outcome"] = null;
  let status: number | null = null;
  let error: string | null = null;
  let endedAt = startedAt;
  let wasTakenOn = true;
  let hasAnswered = false;

  /** Whether this is the first outcome. */
  const endAs = (how: RecordAttempt["outcome"]): boolean => {
    if (outcome !== null) return false;
    outcome = how;
    endedAt = clock.now();
    return true;
  };

  return {
    candidate,
    startedAt,
    get outcome() {
      return outcome;
    },
    get status() {
      return status;
    },
    get error() {
      return error;
    },
    get latencyMs() {
      return (outcome === null ? clock.now() : endedAt) - startedAt;
    },
    get wasTakenOn() {
      return wasTakenOn;
    },
    headArrived(said) {
      status = said;
    },
    get hasAnswered() {
      return hasAnswered;
    },
    answered() {
      hasAnswered = true;
      watch.answered(clock.now() - startedAt);
    },
    succeeded() {
      if (endAs("answered")) watch.succeeded();
    },
    failed(fault) {
      if (!endAs("failed")) return;
      error = classOf(fault);
      wasTakenOn = !freeFaults.has(fault.kind);
      watch.failed(fault);
    },
    abandoned(how) {
      if (!endAs(how)) return;
      if (how === "lost") watch.lost(endedAt - startedAt);
      else watch.abandoned();
    },
    callEnded: () => watch.ended(),
  };
}
