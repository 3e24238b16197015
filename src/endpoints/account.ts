import { budgetStateView } from "../billing/budgets/budget-view.ts";
import { overloaded } from "../errors.ts";
import { type Answer, jsonAnswer } from "../pipeline/answer.ts";
import { identify } from "./keyed.ts";
import type { Visit } from "./visit.ts";

function unavailable(): never {
  throw overloaded("storage_unavailable", "The budgets of this API key cannot be read at the moment.", 5);
}

/** `GET /api/account`: the account of the key that asks, with its balance right now. */
export async function showAccount({ services, request }: Visit): Promise<Answer> {
  const { key } = await identify(services, request);
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
    budgets: budgets.map(budgetStateView),
    limits: {
      requests_per_minute: requestsPerMinute,
      tokens_per_minute: tokensPerMinute,
      concurrent_requests: concurrentRequests,
    },
  });
}
