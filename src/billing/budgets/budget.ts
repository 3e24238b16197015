/** How long a period of a budget lasts. `session`: as long as the session; `total`: for ever. */
export const budgetPeriods = ["day", "week", "month", "session", "total"] as const;
export type BudgetPeriod = (typeof budgetPeriods)[number];

/** What a budget may be set for each of. */
export const budgetSubjects = ["end_user", "session", "key"] as const;
export type BudgetSubject = (typeof budgetSubjects)[number];

/** `hard`: a request that it does not cover is refused. `soft`: it is served, with a warning. */
export type BudgetKind = "hard" | "soft";

/** The requests that a budget concerns; null: any. */
export interface BudgetSelector {
  readonly accountId: string | null;
  readonly keyId: string | null;
  /** The name that the caller asks for, or the model that serves it. */
  readonly model: string | null;
  readonly tag: { readonly name: string; readonly value: string } | null;
  readonly endUser: string | null;
  readonly session: string | null;
}

/** A budget. It never changes once it is set. */
export interface Budget extends BudgetSelector {
  /** `bud_...` */
  readonly id: string;
  /** Each end user, session or key has the whole amount; null if all share it. */
  readonly each: BudgetSubject | null;
  /** Whole micro-USD. 0 blocks everything. */
  readonly amountMicrousd: number;
  readonly per: BudgetPeriod;
  readonly timeZone: string;
  readonly kind: BudgetKind;
  /** Percentages at which an event is written; 100 is always one of them. Ascending. */
  readonly notify: readonly number[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** What decides which budgets concern a request. */
export interface BudgetFacts {
  readonly accountId: string;
  readonly keyId: string;
  /** The name that was asked for. */
  readonly model: string;
  /** The models that may serve it, in the order in which they are asked; the one that has once it is over. */
  readonly servedBy: readonly string[];
  /** The canonical text of tags. */
  readonly tags: string | null;
  readonly endUser: string | null;
  readonly session: string | null;
}

/** A tag as it stands within the canonical text of tags, and nowhere else in it: quotes in values are escaped. */
export function tagText({ name, value }: NonNullable<BudgetSelector["tag"]>): string {
  return `${JSON.stringify(name)}:${JSON.stringify(value)}`;
}

/** Whether a budget can concern requests of a key. */
export function concernsKey({ accountId, keyId }: BudgetSelector, key: Pick<BudgetFacts, "accountId" | "keyId">) {
  return (accountId === null || accountId === key.accountId) && (keyId === null || keyId === key.keyId);
}

/** Whose counter of a budget a request belongs to, "" if all share one; null if the budget does not concern it. */
export function subjectOf(budget: Budget, facts: BudgetFacts): string | null {
  const { model, tag, endUser, session } = budget;
  const isConcerned =
    concernsKey(budget, facts) &&
    (model === null || model === facts.model || facts.servedBy.includes(model)) &&
    (tag === null || facts.tags?.includes(tagText(tag)) === true) &&
    (endUser === null || endUser === facts.endUser) &&
    (session === null || session === facts.session);
  if (!isConcerned) return null;
  if (budget.each === null) return "";
  return { end_user: facts.endUser, session: facts.session, key: facts.keyId }[budget.each];
}
