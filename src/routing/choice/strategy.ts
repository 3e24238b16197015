import type { Candidate } from "./candidate.ts";
import type { StrategyName } from "../names/route.ts";

/** The unit that a strategy orders: all targets of one model of a policy, or one target of a model. */
export interface Group {
  readonly weight: number;
  /** In the order in which they are asked. */
  readonly candidates: readonly Candidate[];
}

/** The inputs of the strategies, apart from the candidates. */
export interface StrategyFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** The position of `round_robin`. */
  readonly rotation: { next: number };
  /** The request is only explained: the rotation does not advance. */
  readonly isDryRun: boolean;
  /** Expected cost of this request at a candidate in whole micro-USD; null if unknown. */
  readonly costOf: (candidate: Candidate) => number | null;
}

/** Returns all candidates in the order in which they are asked. */
export function inOrder(strategy: StrategyName, groups: readonly Group[], facts: StrategyFacts): Candidate[] {
  switch (strategy) {
    case "priority":
      return flat(groups);
    case "weighted":
      return flat(drawnByWeight(groups, facts.random));
    case "round_robin": {
      // Groups with an open circuit are not part of the rotation, or the next one would get two shares.
      const able = groups.filter(isAble);
      const first = able.length === 0 ? 0 : facts.rotation.next % able.length;
      if (!facts.isDryRun) facts.rotation.next++;
      const unavailable = able.length === groups.length ? [] : groups.filter((group) => !able.includes(group));
      return flat([...able.slice(first), ...able.slice(0, first), ...unavailable]);
    }
    // A target not asked yet, or not for a long time, counts as fast, so that it is asked and measured.
    case "lowest_latency":
      return sortedBy(flat(groups), ({ target }) => target.health.latency.at(facts.now));
    case "least_busy":
      return sortedBy(flat(groups), ({ target }) => target.health.inFlight);
    // An unknown cost may be high.
    case "lowest_cost":
      return sortedBy(flat(groups), (candidate) => facts.costOf(candidate) ?? Number.POSITIVE_INFINITY);
  }
}

function isAble({ candidates }: Group): boolean {
  return candidates.some(({ target }) => target.health.circuit.admits());
}

function flat(groups: readonly Group[]): Candidate[] {
  return groups.flatMap(({ candidates }) => candidates);
}

/** Draws by weight without replacement. */
function drawnByWeight(groups: readonly Group[], random: () => number): Group[] {
  const left = [...groups];
  const drawn: Group[] = [];
  let total = left.reduce((sum, { weight }) => sum + weight, 0);
  while (left.length > 0) {
    let mark = random() * total;
    let place = left.findIndex(({ weight }) => (mark -= weight) < 0);
    if (place < 0) place = left.length - 1;
    for (const group of left.splice(place, 1)) {
      drawn.push(group);
      total -= group.weight;
    }
  }
  return drawn;
}

/** Stable sort, smallest first. */
function sortedBy(candidates: readonly Candidate[], figure: (candidate: Candidate) => number): Candidate[] {
  return candidates
    .map((candidate) => ({ candidate, value: figure(candidate) }))
    .sort((a, b) => (a.value === b.value ? 0 : a.value - b.value))
    .map(({ candidate }) => candidate);
}
