import type { ApiKey } from "../../../access/key.ts";
import { keyStatus } from "../../../access/key-view.ts";
import { allowsEndpoint } from "../../../access/scopes.ts";
import { compileIdentity, type Identity } from "../../../access/identity.ts";
import { hasPrices } from "../../../billing/prices/build-prices.ts";
import { budgetStateView } from "../../../billing/budgets/budget-view.ts";
import { notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import type { Services } from "../../../pipeline/services.ts";
import { type Destination, toModel } from "../../../routing/names/destination.ts";
import { scopeWithin } from "../../../routing/names/scope-within.ts";
import { identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { keyAccessQuery } from "./key-schemas.ts";
import { toPage } from "../input/page.ts";
import { readQuery } from "../input/read-input.ts";
import { withStorage } from "../input/with-storage.ts";

/** Why a request would be refused: a code of the error catalogue, and what it means here. */
interface Refusal {
  readonly code: string;
  readonly message: string;
}

/** `GET /api/admin/keys/{id}/access`: which models a key can call at which endpoints, and why not the others. Nothing is called. */
export async function showKeyAccess(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  await identifyAdmin(services, request);
  const { limit, after = null } = readQuery(visit, keyAccessQuery);
  return withStorage(services, async () => {
    const key = await services.keys.find(id);
    if (key === null) throw notFound("key_not_found", "There is no key with this id.", "id");
    const identity = compileIdentity(key);
    const names = namesAfter(services, after, limit + 1);
    const page = toPage(
      names,
      limit,
      ([name, destination]) => accessTo(services, identity, name, destination),
      ([name]) => name,
    );
    return jsonAnswer({ ...page, refusals: await refusalsOf(services, key) });
  });
}

/** The names of models and routes in their order, with what they lead to. Models that patterns stand for are not among them. */
function namesAfter({ catalog, names }: Services, after: string | null, count: number) {
  const all: readonly (readonly [string, Destination])[] = [
    ...catalog.models.map((model) => [model.id, toModel(model)] as const),
    ...names.routes.entries(),
  ];
  const start = after === null ? 0 : all.findIndex(([name]) => name === after) + 1;
  return all.slice(start, start + count);
}

function accessTo(services: Services, identity: Identity, name: string, destination: Destination) {
  const mayUse = scopeWithin(identity, destination);
  const models = destination.members.map(({ model }) => model);
  const allowed = models.filter(mayUse);
  const prices = services.prices.current;
  const isPriced = allowed.some((model) => model.targets.some((target) => hasPrices(prices.pricesOf(model, target))));
  const reason: Refusal | null =
    allowed.length === 0
      ? { code: "model_not_allowed", message: "It is not among the models of the key." }
      : services.refusesUnpriced && !isPriced
        ? { code: "model_unpriced", message: "It has no price, and this gateway refuses models without one." }
        : null;
  const endpoints = [...new Set(models.flatMap((model) => model.endpoints))].map((endpoint) => {
    const refusal = reason ?? endpointRefusal(identity, endpoint);
    return { name: endpoint, allowed: refusal === null, ...(refusal && { reason: refusal }) };
  });
  return { id: name, kind: destination.names.includes(name) ? "route" : "model", endpoints };
}

function endpointRefusal(identity: Identity, endpoint: string): Refusal | null {
  if (allowsEndpoint(identity, endpoint)) return null;
  return { code: "endpoint_not_allowed", message: "It is not among the endpoints of the key." };
}

/** What stands against every request of a key. */
async function refusalsOf({ clock, accounts, budgets }: Services, key: ApiKey): Promise<readonly Refusal[]> {
  const refusals: Refusal[] = [];
  const status = keyStatus(key, clock.now());
  if (status === "disabled") refusals.push({ code: "disabled_api_key", message: "The key is disabled." });
  if (status === "expired") refusals.push({ code: "expired_api_key", message: "The key has expired." });
  const [account, { balanceMicrousd, heldMicrousd }, counters] = await Promise.all([
    accounts.find(key.accountId),
    accounts.balance(key.accountId),
    budgets.counters({ accountId: key.accountId, keyId: key.id }),
  ]);
  if (account.mode === "prepaid" && balanceMicrousd - heldMicrousd <= 0) {
    refusals.push({ code: "insufficient_balance", message: `The account '${account.id}' has no balance left.` });
  }
  for (const state of counters) {
    const { id, kind, scope, amount_microusd: amount, spent_microusd: spent } = budgetStateView(state);
    const isForAll = scope.model === undefined && scope.tag === undefined && scope.end_user === undefined;
    if (kind === "hard" && isForAll && scope.session === undefined && spent !== null && spent >= amount) {
      refusals.push({ code: "budget_exceeded", message: `Nothing is left of the budget ${id}.` });
    }
  }
  return refusals;
}
