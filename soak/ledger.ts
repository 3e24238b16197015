import type { ReadAnswer } from "./read-answer.ts";

/** One request as its caller saw it. */
export interface Sighting {
  /** As the answer's header says. */
  readonly id: string;
  /** The name of the key it was sent with. */
  readonly keyName: string;
  readonly status: number;
  /** The error's code, if the answer was an error. */
  readonly code: string | null;
  /** `refused`: any status but 200. `left`: the caller did not wait for the end. */
  readonly ending: ReadAnswer["ending"] | "refused" | "left";
  readonly usage: ReadAnswer["usage"];
  /** Upstream calls, as the answer's header says. */
  readonly attempts: number;
  /** The answer is an earlier request's, replayed. */
  readonly isReplay: boolean;
}

/** All that callers saw. */
export interface Ledger {
  readonly sightings: readonly Sighting[];
  /** Callers that left before they saw a request's id. */
  readonly leftUnseen: number;
  /** Descriptions of events that must never happen; only the first are kept. */
  readonly incidents: readonly string[];
  readonly incidentCount: number;
  /** Lookups of a record right after its answer. */
  readonly lookups: number;
  saw(sighting: Sighting): void;
  left(): void;
  incident(words: string): void;
  lookedUp(): void;
}

const maxIncidents = 20;

export function openLedger(): Ledger {
  const sightings: Sighting[] = [];
  const incidents: string[] = [];
  let [leftUnseen, incidentCount, lookups] = [0, 0, 0];
  return {
    sightings,
    incidents,
    get leftUnseen() {
      return leftUnseen;
    },
    get incidentCount() {
      return incidentCount;
    },
    get lookups() {
      return lookups;
    },
    saw: (sighting) => void sightings.push(sighting),
    left: () => void leftUnseen++,
    incident(words) {
      incidentCount++;
      if (incidents.length < maxIncidents) incidents.push(words);
    },
    lookedUp: () => void lookups++,
  };
}
