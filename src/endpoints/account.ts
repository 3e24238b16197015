import { budgetStateView } from "../billing/budgets/budget-view.ts";
import { userOf } from "../console/session.ts";
import { overloaded } from "../errors.ts";
import { type Answer, jsonAnswer } from "../pipeline/answer.ts";
import { identify } from "./keyed.ts";
import type { Visit } from "./visit.ts";

function unavailable(): never {
  throw overloaded("storage_unavailable", "The budgets of this API key cannot be read at the moment.", 5);
}

/**
 * `GET /api/account`: the account of the key that asks, with its balance right now. A key is shown all budgets that can refuse
 * it; a member of the console only those of its account, as the others tell what other accounts spend.
 */
export async function showAccount({ services, request }: Visit): Promise<Answer> {
  const identity = await identify(services, request);
  const { key } = identity;
  const isMember = userOf(identity)?.role === "member";
  const [account, balance, budgets] = await Promise.all([
    services.accounts.find(key.accountId),
    services.accounts.balance(key.accountId),
    services.budgets.counters({ accountId: key.accountId, keyId: key.id }).catch(unavailable),
  ]);
  const { balanceMicrousd, heldMicrousd } = balance;
  const { requestsPerMinute, tokensPerMinute, concurrentRequests } = key.limits;
  return jsonAnswer({
    object: "account",
    id: account.id,
    mode: account.mode,
    balance_microusd: balanceMicrousd,
    held_microusd: heldMicrousd,
    available_microusd: balanceMicrousd - heldMicrousd,
    currency: "USD",
    budgets: budgets.filter(({ budget }) => !isMember || budget.accountId === key.accountId).map(budgetStateView),
    limits: {
      requests_per_minute: requestsPerMinute,
      tokens_per_minute: tokensPerMinute,
      concurrent_requests: concurrentRequests,
    },
  });
}
