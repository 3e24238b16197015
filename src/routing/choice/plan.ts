import type { PriceBook } from "../../billing/prices/price-book.ts";
import type { Candidate } from "./candidate.ts";
import type { Destination } from "../names/destination.ts";
import type { Exclusion } from "./exclusion.ts";
import type { Model } from "../names/model.ts";
import { type Group, inOrder, type StrategyFacts } from "./strategy.ts";

/** The candidates for one request in the order in which they are asked, and the models left out, with reasons. */
export interface Plan {
  readonly destination: Destination;
  /** The price list in force when it was made: the request is charged by it, whatever changes meanwhile. */
  readonly prices: PriceBook;
  readonly candidates: readonly Candidate[];
  readonly excluded: readonly Exclusion[];
  /**
   * What one search can cost at most, in micro-USD, by the name of the backend that models name; null if it has no price.
   * Absent if the gateway makes no searches for the request.
   */
  readonly searchPrices?: ReadonlyMap<string, number | null>;
}

/** Returns why a model cannot serve this request for this key; null if it can. */
export type Review = (model: Model) => Exclusion | null;

/** The facts about a request that its plan depends on. */
export interface PlanFacts extends Omit<StrategyFacts, "rotation">, Pick<Plan, "prices"> {
  /** An order of the operation's own, instead of the destination's strategy. */
  readonly arrange: Arrange | null;
}

/** Returns all candidates in the order in which they are asked. */
export type Arrange = (
  groups: readonly Group[],
  destination: Destination,
  facts: Pick<StrategyFacts, "random" | "costOf">,
) => readonly Candidate[];

/** Orders the models that pass the review by the policy's strategy, and the targets of each by the model's own. */
export function makePlan(destination: Destination, review: Review, facts: PlanFacts): Plan {
  const groups: Group[] = [];
  const excluded: Exclusion[] = [];
  for (const { model, weight } of destination.members) {
    const exclusion = review(model);
    if (exclusion) excluded.push(exclusion);
    else groups.push({ weight, candidates: candidatesOf(model, facts) });
  }
  const { isPolicy, strategy, rotation } = destination;
  const [first] = groups;
  if (!isPolicy || !first) return { destination, prices: facts.prices, candidates: first?.candidates ?? [], excluded };
  const candidates = facts.arrange
    ? facts.arrange(groups, destination, facts)
    : inOrder(strategy, groups, { ...facts, rotation });
  return { destination, prices: facts.prices, candidates, excluded };
}

/** The same plan without the candidates of these models. */
export function withoutModels(plan: Plan, ids: ReadonlySet<string>): Plan {
  return { ...plan, candidates: plan.candidates.filter(({ model }) => !ids.has(model.id)) };
}

/** A model's candidates never change, so they are created once. */
const groupsByModel = new WeakMap<Model, { readonly groups: readonly Group[]; readonly rotation: { next: number } }>();

function candidatesOf(model: Model, facts: PlanFacts): readonly Candidate[] {
  let made = groupsByModel.get(model);
  if (!made) {
    const groups = model.targets.map((target) => ({ weight: target.weight, candidates: [{ model, target }] }));
    made = { groups, rotation: { next: 0 } };
    groupsByModel.set(model, made);
  }
  const { groups, rotation } = made;
  const [only] = groups;
  if (only && groups.length === 1) return only.candidates;
  return inOrder(model.strategy ?? "priority", groups, { ...facts, rotation });
}
