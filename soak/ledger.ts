import type { ReadAnswer } from "./read-answer.ts";

/** A request as seen by its caller. */
export interface Observation {
  /** From the response header. */
  readonly id: string;
  /** The name of its key. */
  readonly keyName: string;
  readonly status: number;
  /** The error code, if it was an error. */
  readonly code: string | null;
  /** `refused`: any status but 200. `left`: the caller disconnected. */
  readonly ending: ReadAnswer["ending"] | "refused" | "left";
  readonly usage: ReadAnswer["usage"];
  /** The number of upstream calls, from the response header. */
  readonly attempts: number;
  /** Whether it is a replayed answer. */
  readonly isReplay: boolean;
}

/** All observations of the callers. */
export interface Ledger {
  readonly observations: readonly Observation[];
  /** Callers that disconnected before they saw a request id. */
  readonly leftUnseen: number;
  /** The first failures of checks during the load. */
  readonly failures: readonly string[];
  readonly failureCount: number;
  /** Lookups of a record right after its answer. */
  readonly lookups: number;
  saw(observation: Observation): void;
  left(): void;
  fail(words: string): void;
  lookedUp(): void;
}

const maxFailures = 20;

export function openLedger(): Ledger {
  const observations: Observation[] = [];
  const failures: string[] = [];
  let [leftUnseen, failureCount, lookups] = [0, 0, 0];
  return {
    observations,
    failures,
    get leftUnseen() {
      return leftUnseen;
    },
    get failureCount() {
      return failureCount;
    },
    get lookups() {
      return lookups;
    },
    saw: (observation) => void observations.push(observation),
    left: () => void leftUnseen++,
    fail(words) {
      failureCount++;
      if (failures.length < maxFailures) failures.push(words);
    },
    lookedUp: () => void lookups++,
  };
}
