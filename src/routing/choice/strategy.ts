import type { Candidate } from "./candidate.ts";
import type { StrategyName } from "../names/route.ts";

/** What belongs together under a strategy: the targets of one model of a policy, or one target of a model. */
export interface Group {
  readonly weight: number;
  /** In the order in which they are asked. */
  readonly candidates: readonly Candidate[];
}

/** What strategies go by, beside the candidates themselves. */
export interface StrategyFacts {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Whose turn it is under `round_robin`. */
  readonly turn: { next: number };
  /** The request is only talked about: nobody's turn passes. */
  readonly isRehearsal: boolean;
  /** Whole micro-USD that this request is expected to cost at a candidate; null where that is not known. */
  readonly costOf: (candidate: Candidate) => number | null;
}

/** Who is asked first, second and so on. */
export function inOrder(strategy: StrategyName, groups: readonly Group[], facts: StrategyFacts): Candidate[] {
  switch (strategy) {
    case "priority":
      return flat(groups);
    case "weighted":
      return flat(drawnByWeight(groups, facts.random));
    case "round_robin": {
      // Who rests has no turn: else the next one would have two.
      const able = groups.filter(isAble);
      const first = able.length === 0 ? 0 : facts.turn.next % able.length;
      if (!facts.isRehearsal) facts.turn.next++;
      const resting = able.length === groups.length ? [] : groups.filter((group) => !able.includes(group));
      return flat([...able.slice(first), ...able.slice(0, first), ...resting]);
    }
    // A target that was never asked, or not for long, counts as quick: so it is asked, and then it is known.
    case "lowest_latency":
      return sortedBy(flat(groups), ({ target }) => target.health.latency.at(facts.now));
    case "least_busy":
      return sortedBy(flat(groups), ({ target }) => target.health.inFlight);
    // What it costs is not known where there is no price: that may be much.
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

/** Draws without putting back: the first has its share by weight, and so has each of those that follow. */
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

/** Smallest first; the order stays as it was among equals. */
function sortedBy(candidates: readonly Candidate[], figure: (candidate: Candidate) => number): Candidate[] {
  return candidates
    .map((candidate) => ({ candidate, value: figure(candidate) }))
    .sort((a, b) => (a.value === b.value ? 0 : a.value - b.value))
    .map(({ candidate }) => candidate);
}
