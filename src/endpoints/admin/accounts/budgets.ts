import type { z } from "zod";
import type { BudgetSelector } from "../../../billing/budgets/budget.ts";
import { operatorBudgetView } from "../../../billing/budgets/budget-view.ts";
import { readState, readStates } from "../../../billing/budgets/read-states.ts";
import { setBudget } from "../../../billing/budgets/set-budget.ts";
import { invalidParameter, notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import type { Services } from "../../../pipeline/services.ts";
import { adminActor, identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { budgetListQuery, newBudgetInput } from "./budget-schemas.ts";
import { toPage } from "../input/page.ts";
import { readInput, readQuery } from "../input/read-input.ts";
import { withStorage } from "../input/with-storage.ts";

/** `GET /api/admin/budgets`: newest first. */
export async function listBudgets(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { limit, after = null } = readQuery(visit, budgetListQuery);
  const { budgets } = services.managed;
  const states = await withStorage(services, async () => {
    if (after !== null && (await budgets.find(after)) === null) throw invalidParameter("after", "the id of a budget");
    return readStates(budgets, await budgets.page({ limit: limit + 1, after }), services.clock.now());
  });
  return jsonAnswer(toPage(states, limit, operatorBudgetView, ({ budget }) => budget.id));
}

/** `POST /api/admin/budgets`: in place of a budget for the same requests, period and kind, if there is one. */
export async function setBudgetByAdmin(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  const by = await adminActor(services, request);
  const input = await readInput(visit, newBudgetInput);
  const { budgets } = services.managed;
  const now = services.clock.now();
  const { replaced, state } = await withStorage(services, async () => {
    const wish = { ...settingsOf(input), ...(await ownerOf(services, input)) };
    const { replaced: before, ...budget } = await setBudget(budgets, wish, now, by);
    await services.budgets.refresh();
    return { replaced: before, state: await readState(budgets, budget, now) };
  });
  return jsonAnswer({ ...operatorBudgetView(state), replaced }, 201);
}

/** `GET /api/admin/budgets/{id}` */
export async function showBudget({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  const { budgets } = services.managed;
  const state = await withStorage(services, async () => {
    const budget = await budgets.find(id);
    if (budget === null) throw unknownBudget();
    return readState(budgets, budget, services.clock.now());
  });
  return jsonAnswer(operatorBudgetView(state));
}

/** `DELETE /api/admin/budgets/{id}` */
export async function deleteBudget({ services, request, id }: Visit): Promise<Answer> {
  const by = await adminActor(services, request);
  const isRemoved = await withStorage(services, () => services.managed.budgets.remove(id, by));
  if (!isRemoved) throw unknownBudget();
  await services.budgets.refresh();
  return jsonAnswer({ id, object: "budget", deleted: true });
}

type Input = z.output<typeof newBudgetInput>;

function settingsOf(input: Input) {
  const { model = null, end_user: endUser = null, session = null, each = null, kind = "hard", notify = [] } = input;
  const [tag] = Object.entries(input.tag ?? {}).map(([name, value]) => ({ name, value }));
  const { amount_microusd: amountMicrousd, per, time_zone: timeZone = "UTC" } = input;
  return { model, tag: tag ?? null, endUser, session, each, amountMicrousd, per, timeZone, kind, notify };
}

/** The key and account of a budget, which exist. The account of a key is its budget's too. */
async function ownerOf(
  { keys, managed }: Services,
  { key = null, account = null }: Input,
): Promise<Pick<BudgetSelector, "accountId" | "keyId">> {
  if (account !== null && (await managed.accounts.find(account)) === null) {
    throw invalidParameter("account", "the id of an account");
  }
  if (key === null) return { accountId: account, keyId: null };
  const found = await keys.find(key);
  if (found === null) throw invalidParameter("key", "the id of a key");
  if (account !== null && found.accountId !== account) throw invalidParameter("account", "the account of the key");
  return { accountId: found.accountId, keyId: key };
}

function unknownBudget() {
  return notFound("budget_not_found", "There is no budget with this id.", "id");
}
