import type { Candidate } from "./candidate.ts";
import type { Destination } from "../names/destination.ts";
import type { Exclusion } from "./exclusion.ts";
import type { Model } from "../names/model.ts";
import { type Group, inOrder, type StrategyFacts } from "./strategy.ts";

/** Who is to be asked for one request, in what order, and who is not and why. */
export interface Plan {
  readonly destination: Destination;
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly Exclusion[];
}

/** Why a model cannot serve this request for this key; null where it can. */
export type Review = (model: Model) => Exclusion | null;

/** What a request brings to the making of its plan. */
export type PlanFacts = Omit<StrategyFacts, "turn">;

/** The models that pass the review, in the order of the strategy, and within each model its targets in the order of its own. */
export function makePlan(destination: Destination, review: Review, facts: PlanFacts): Plan {
  const groups: Group[] = [];
  const excluded: Exclusion[] = [];
  for (const { model, weight } of destination.members) {
    const exclusion = review(model);
    if (exclusion) excluded.push(exclusion);
    else groups.push({ weight, candidates: candidatesOf(model, facts) });
  }
  const { isPolicy, strategy, turn } = destination;
  const [first] = groups;
  const candidates = isPolicy && first ? inOrder(strategy, groups, { ...facts, turn }) : first?.candidates;
  return { destination, candidates: candidates ?? [], excluded };
}

/** A model's candidates never change, and so are made once. */
const madeOnce = new WeakMap<Model, { readonly groups: readonly Group[]; readonly turn: { next: number } }>();

function candidatesOf(model: Model, facts: PlanFacts): readonly Candidate[] {
  let made = madeOnce.get(model);
  if (!made) {
    const groups = model.targets.map((target) => ({ weight: target.weight, candidates: [{ model, target }] }));
    made = { groups, turn: { next: 0 } };
    madeOnce.set(model, made);
  }
  const { groups, turn } = made;
  const [only] = groups;
  if (only && groups.length === 1) return only.candidates;
  return inOrder(model.strategy ?? "priority", groups, { ...facts, turn });
}
