import type { Identity } from "../../access/identity.ts";
import type { Attribution } from "../../attribution/attribution.ts";
import type { Account } from "../../billing/accounts/account.ts";
import type { Accounts } from "../../billing/accounts/accounts.ts";
import type { BudgetFacts } from "../../billing/budgets/budget.ts";
import type { BudgetHold, Budgets } from "../../billing/budgets/budgets.ts";
import type { Holds, Insufficient } from "../../billing/holds/holds.ts";
import { BalanceHold } from "../../billing/holds/lease.ts";
import { formatUsd } from "../../billing/usd.ts";
import { overloaded } from "../../errors.ts";
import type { Log } from "../../log.ts";
import { storableText } from "../../records/storable-text.ts";
import type { Model } from "../../routing/names/model.ts";
import { type Plan, withoutModels } from "../../routing/choice/plan.ts";
import type { Parsed } from "../stages.ts";
import { budgetsOf, holdBudgets, type RequestBudgets } from "./hold-budgets.ts";
import { type CostBound, planBound, tokensWithin } from "./cost-bound.ts";
import { coverModels } from "./cover-models.ts";
import { boundless, insufficientBalance } from "./insufficient-balance.ts";

/** What a request is charged to, and what is held for it. */
export interface Funding {
  readonly account: Account;
  /** What the charge must keep to, in whole micro-USD; null if nothing is held. */
  readonly heldMicrousd: number | null;
  /** Null if the account is not prepaid, or the request costs nothing. */
  readonly hold: BalanceHold | null;
  /** Null if no hard budget concerns the request. */
  readonly budgetHold: BudgetHold | null;
  /** What is held of budgets of single models that may serve the request; null if nothing. */
  readonly heldByModel: ReadonlyMap<string, number> | null;
  /** Models that may not serve the request: budgets of theirs do not cover it, or nothing bounds its cost; null if none. */
  readonly uncoveredModels: ReadonlySet<string> | null;
  /** Tokens of one answer that the balance covers, if they are fewer than what the request may write; else null. */
  readonly maxOutputTokens: number | null;
  /** Whether a soft budget is spent that concerns the request. */
  readonly exceedsBudget: boolean;
}

/** What the funding of a request needs. */
export interface FundingServices {
  readonly accounts: Accounts;
  readonly holds: Holds;
  readonly budgets: Budgets;
  readonly log: Pick<Log, "warn">;
  /** A lower limit than this is not worth an answer. */
  readonly minimumOutputTokens: number;
}

/** A request that is to be funded. */
export interface Unfunded {
  readonly requestId: string;
  readonly startedAt: number;
  readonly identity: Identity;
  readonly parsed: Parsed;
  readonly plan: Plan;
  readonly attribution: Attribution;
}

const unheld = new WeakMap<Account, Funding>();

/**
 * Holds what a request can cost at most, of its account if that is prepaid, and of the hard budgets that concern it. If the
 * balance covers only a part of the output, as much as it covers. At once if there is nothing to hold.
 * @throws 402 `insufficient_balance` or `budget_exceeded`, 503 if the storage is needed and does not answer; nothing is
 * held then
 */
export function fundRequest(services: FundingServices, request: Unfunded): Funding | Promise<Funding> {
  const account = services.accounts.find(request.identity.key.accountId);
  return account instanceof Promise
    ? account.then((known) => fundFrom(services, known, request))
    : fundFrom(services, account, request);
}

function fundFrom(services: FundingServices, account: Account, request: Unfunded): Funding | Promise<Funding> {
  const { parsed, identity } = request;
  if (parsed.operation.isFree) return withoutHold(account);
  const { id: keyId } = identity.key;
  const known = services.budgets.ofKey({ accountId: account.id, keyId });
  if (known.length === 0 && account.mode === "unlimited") return withoutHold(account);
  const facts = factsOf(request, account.id);
  const budgets = budgetsOf(services.budgets, known, facts, request.startedAt);
  if (budgets.isSpent) logSpent(services, request, account);
  const { hard, hardOfModels, isSpent } = budgets;
  const isBounded = hard.length > 0 || account.mode !== "unlimited";
  if (!isBounded && hardOfModels.length === 0) {
    return isSpent ? { ...withoutHold(account), exceedsBudget: true } : withoutHold(account);
  }
  const { bound, boundless: left } = isBounded ? boundOf(account, request) : unbounded;
  const held = bound === null ? withoutHold(account) : fundBalance(services, account, parsed, bound);
  const funded = left === null ? held : leavingOut(left, held);
  if (hard.length === 0 && hardOfModels.length === 0 && !isSpent) return funded;
  const plan = left === null ? request.plan : withoutModels(request.plan, left);
  return fundBudgets(services.budgets, { ...request, plan, facts, budgets }, bound, funded);
}

async function leavingOut(uncoveredModels: ReadonlySet<string>, funded: Funding | Promise<Funding>): Promise<Funding> {
  return { ...(await funded), uncoveredModels };
}

function logSpent({ log }: FundingServices, { requestId, identity }: Unfunded, { id }: Account): void {
  log.warn({ request_id: requestId, key_id: identity.key.id, account: id }, "a soft budget is spent");
}

/** As the record will have them: its texts are mended before they are stored. */
function factsOf({ identity, parsed, plan, attribution }: Unfunded, accountId: string): BudgetFacts {
  const { tags, endUser, session } = attribution;
  return {
    accountId,
    keyId: identity.key.id,
    model: storableText(parsed.model),
    servedBy: plan.candidates.map(({ model }) => model.id),
    tags,
    endUser: endUser === null ? null : storableText(endUser),
    session: session === null ? null : storableText(session),
  };
}

/** What a request can cost at most, and which models are left out since nothing bounds what it costs there. */
interface Bounded {
  readonly bound: CostBound | null;
  readonly boundless: ReadonlySet<string> | null;
}

const unbounded: Bounded = { bound: null, boundless: null };

/** @throws 402 if nothing bounds what the request can cost */
function boundOf({ markupBasisPoints }: Account, { plan, parsed }: Unfunded): Bounded {
  const { bound, left } = planBound(plan, parsed.expectedUsage(), markupBasisPoints);
  if ("lacks" in bound) throw boundless(bound);
  return { bound, boundless: left };
}

function fundBalance(
  { holds, minimumOutputTokens }: FundingServices,
  account: Account,
  { operation }: Parsed,
  bound: CostBound,
): Funding | Promise<Funding> {
  const { maxMicrousd, maxTokens } = bound;
  if (account.mode === "unlimited") return withoutHold(account);
  // A provider may report a cost all the same: none of that is charged, since the balance may not cover it.
  if (maxMicrousd === 0) return { ...withoutHold(account), heldMicrousd: 0 };
  const { limitsOutput = false } = operation;
  const canBeLowered = limitsOutput && maxTokens !== null && maxTokens > minimumOutputTokens;
  const minMicrousd = canBeLowered ? bound.limitedTo(minimumOutputTokens) : maxMicrousd;
  const held = holds.hold(account.id, { maxMicrousd, minMicrousd });
  if (held instanceof BalanceHold) return fundingOf(account, held, null);
  return held.then(
    (result) => heldFor(account, bound, result),
    () => {
      throw overloaded("storage_unavailable", "The balance of this account cannot be read at the moment.", 5);
    },
  );
}

function withoutHold(account: Account): Funding {
  let funding = unheld.get(account);
  if (funding === undefined) {
    funding = {
      account,
      heldMicrousd: null,
      hold: null,
      budgetHold: null,
      heldByModel: null,
      uncoveredModels: null,
      maxOutputTokens: null,
      exceedsBudget: false,
    };
    unheld.set(account, funding);
  }
  return funding;
}

function fundingOf(account: Account, hold: BalanceHold, maxOutputTokens: number | null): Funding {
  const { amountMicrousd: heldMicrousd } = hold;
  return { ...withoutHold(account), heldMicrousd, hold, maxOutputTokens };
}

function heldFor(account: Account, bound: CostBound, result: BalanceHold | Insufficient): Funding {
  const { maxMicrousd } = bound;
  if (!(result instanceof BalanceHold)) {
    const available = formatUsd(Math.max(0, result.availableMicrousd));
    const needed = formatUsd(maxMicrousd);
    throw insufficientBalance(
      `The balance does not cover this request: ${available} USD available, ${needed} USD needed. Lower its output limit, or add to the balance.`,
    );
  }
  if (result.amountMicrousd >= maxMicrousd) return fundingOf(account, result, null);
  const maxOutputTokens = tokensWithin(bound, result.amountMicrousd);
  result.reduceTo(bound.limitedTo(maxOutputTokens));
  return fundingOf(account, result, maxOutputTokens);
}

/** A request with the budgets that concern it. */
interface Budgeted extends Unfunded {
  readonly facts: BudgetFacts;
  readonly budgets: RequestBudgets;
}

/** Holds of the budgets what is held of the balance, or what the request can cost at most if nothing is. */
async function fundBudgets(
  budgets: Budgets,
  request: Budgeted,
  bound: CostBound | null,
  funded: Funding | Promise<Funding>,
): Promise<Funding> {
  const funding = await funded;
  const { hard, hardOfModels, isSpent: exceedsBudget } = request.budgets;
  if (hard.length === 0 && hardOfModels.length === 0) return { ...funding, exceedsBudget };
  const heldMicrousd = hard.length === 0 ? funding.heldMicrousd : (funding.heldMicrousd ?? bound?.maxMicrousd ?? 0);
  try {
    const cover = coverModels(request, hardOfModels, funding.account.markupBasisPoints, heldMicrousd);
    const asked = { ...request, budgets: hard, amountMicrousd: heldMicrousd ?? 0, ofModels: cover.ofModels };
    const budgetHold = await holdBudgets(budgets, asked);
    const { heldByModel, uncoveredModels } = cover.by(budgetHold);
    const left = [...(funding.uncoveredModels ?? []), ...(uncoveredModels ?? [])];
    const uncovered = left.length === 0 ? null : new Set(left);
    return { ...funding, heldByModel, uncoveredModels: uncovered, heldMicrousd, budgetHold, exceedsBudget };
  } catch (error) {
    funding.hold?.release();
    throw error;
  }
}

/** What the charge of a request must keep to if this model has served it; null if nothing is held for that. */
export function heldForModel(funding: Funding | null, model: Model | null): number | null {
  if (funding === null) return null;
  const ofModel = model === null ? undefined : funding.heldByModel?.get(model.id);
  return ofModel ?? funding.heldMicrousd;
}
