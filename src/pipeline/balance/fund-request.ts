import type { Identity } from "../../access/identity.ts";
import type { Account } from "../../billing/account.ts";
import type { Accounts } from "../../billing/accounts.ts";
import type { Holds, Insufficient } from "../../billing/holds.ts";
import { BalanceHold } from "../../billing/lease.ts";
import { formatUsd } from "../../billing/usd.ts";
import { GatewayError, overloaded } from "../../errors.ts";
import type { Plan } from "../../routing/choice/plan.ts";
import type { Parsed } from "../stages.ts";
import { type CostBound, costBound, tokensWithin } from "./cost-bound.ts";

/** What a request is charged to, and what is held for it. */
export interface Funding {
  readonly account: Account;
  /** Null if nothing needs to be held. */
  readonly hold: BalanceHold | null;
  /** Tokens of one answer that the balance covers, if they are fewer than what the request may write; else null. */
  readonly maxOutputTokens: number | null;
}

/** What the funding of a request needs. */
export interface FundingServices {
  readonly accounts: Accounts;
  readonly holds: Holds;
  /** A lower limit than this is not worth an answer. */
  readonly minimumOutputTokens: number;
}

const unheld = new WeakMap<Account, Funding>();

/**
 * Holds what a request can cost at most, if its account is prepaid. If the balance covers only a part of the output, as much
 * as it covers. At once for unlimited accounts.
 * @throws 402 `insufficient_balance`, 503 if the storage is needed and does not answer; nothing is held then
 */
export function fundRequest(
  services: FundingServices,
  { key }: Identity,
  parsed: Parsed,
  plan: Plan,
): Funding | Promise<Funding> {
  const account = services.accounts.find(key.accountId);
  return account instanceof Promise
    ? account.then((known) => fundFrom(services, known, parsed, plan))
    : fundFrom(services, account, parsed, plan);
}

function fundFrom(services: FundingServices, account: Account, parsed: Parsed, plan: Plan): Funding | Promise<Funding> {
  if (account.mode === "unlimited" || parsed.operation.isFree) return withoutHold(account);
  const { markupBasisPoints } = account;
  const usage = parsed.expectedUsage();
  const { candidates, prices } = plan;
  const bound = costBound({ candidates, usage, prices, markupBasisPoints });
  if ("lacks" in bound) {
    throw insufficient(
      `The cost of this request has no upper bound, which a prepaid account needs: the model '${bound.model}' has no ${bound.lacks}.`,
    );
  }
  const { maxMicrousd, maxTokens } = bound;
  if (maxMicrousd === 0) return withoutHold(account);
  const { minimumOutputTokens } = services;
  const { limitsOutput = false } = parsed.operation;
  const canBeLowered = limitsOutput && maxTokens !== null && maxTokens > minimumOutputTokens;
  const minMicrousd = canBeLowered ? bound.limitedTo(minimumOutputTokens) : maxMicrousd;
  const held = services.holds.hold(account.id, { maxMicrousd, minMicrousd });
  if (held instanceof BalanceHold) return { account, hold: held, maxOutputTokens: null };
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
    funding = { account, hold: null, maxOutputTokens: null };
    unheld.set(account, funding);
  }
  return funding;
}

function heldFor(account: Account, bound: CostBound, result: BalanceHold | Insufficient): Funding {
  const { maxMicrousd } = bound;
  if (!(result instanceof BalanceHold)) {
    const available = formatUsd(Math.max(0, result.availableMicrousd));
    const needed = formatUsd(maxMicrousd);
    throw insufficient(
      `The balance does not cover this request: ${available} USD available, ${needed} USD needed. Lower its output limit, or add to the balance.`,
    );
  }
  if (result.amountMicrousd >= maxMicrousd) return { account, hold: result, maxOutputTokens: null };
  const maxOutputTokens = tokensWithin(bound, result.amountMicrousd);
  result.reduceTo(bound.limitedTo(maxOutputTokens));
  return { account, hold: result, maxOutputTokens };
}

function insufficient(message: string): GatewayError {
  return GatewayError.of("insufficient_balance", message);
}
