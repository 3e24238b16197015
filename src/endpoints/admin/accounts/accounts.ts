import { accountView, entryView } from "../../../billing/accounts/account-view.ts";
import type { Posted } from "../../../billing/accounts/account-store.ts";
import { postAmount } from "../../../billing/accounts/post-amount.ts";
import { GatewayError, invalidParameter, notFound } from "../../../errors.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import { adminActor, identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { accountListQuery, entryListQuery, newAccountInput, newEntryInput } from "./account-schemas.ts";
import { toPage } from "../input/page.ts";
import { readInput, readQuery } from "../input/read-input.ts";
import { withStorage } from "../input/with-storage.ts";

/** `GET /api/admin/accounts`: sorted by id. */
export async function listAccounts(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { limit, after = null } = readQuery(visit, accountListQuery);
  const page = { limit: limit + 1, after };
  const found = await withStorage(services, () => services.managed.accounts.list(page));
  return jsonAnswer(toPage(found, limit, accountView, ({ account }) => account.id));
}

/** `POST /api/admin/accounts` */
export async function createAccount(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  const by = await adminActor(services, request);
  const { id, name = id, mode = "unlimited", markup_percent: markup = 0 } = await readInput(visit, newAccountInput);
  const markupBasisPoints = Math.round(markup * 100);
  const account = { id, name: name.trim(), mode, markupBasisPoints, createdAt: services.clock.now() };
  if (!(await withStorage(services, () => services.managed.accounts.create(account, by)))) {
    throw GatewayError.of("account_exists", `The account '${id}' exists already.`, { param: "id" });
  }
  const nothing = { balanceMicrousd: 0, heldMicrousd: 0, durablyHeldMicrousd: 0, leasedMicrousd: 0 };
  return jsonAnswer(accountView({ account, ...nothing }), 201);
}

/** `GET /api/admin/accounts/{id}` */
export async function showAccountToAdmin({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  const { accounts } = services.managed;
  const shown = await withStorage(services, async () => {
    const [account, stored] = await Promise.all([accounts.find(id), accounts.balance(id)]);
    if (account === null || stored === null) throw unknownAccount();
    // Charges of this process may not have reached the storage.
    return { account, ...stored, ...(await services.accounts.balance(id)) };
  });
  return jsonAnswer(accountView(shown));
}

/** `GET /api/admin/accounts/{id}/entries`: the ledger of an account, newest first. */
export async function listEntries(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  await identifyAdmin(services, request);
  const { limit, after = null } = readQuery(visit, entryListQuery);
  const { accounts } = services.managed;
  const found = await withStorage(services, async () => {
    if ((await accounts.find(id)) === null) throw unknownAccount();
    return accounts.entries(id, { limit: limit + 1, after });
  });
  return jsonAnswer(toPage(found, limit, entryView, (entry) => entry.id));
}

/** `POST /api/admin/accounts/{id}/entries`: credits or debits an account. */
export async function postEntry(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  const by = await adminActor(services, request);
  const input = await readInput(visit, newEntryInput);
  const isCredit = input.kind === "credit";
  const entry = {
    accountId: id,
    kind: isCredit ? ("credit" as const) : ("adjustment" as const),
    amountMicrousd: isCredit ? input.amount_microusd : -input.amount_microusd,
    idempotencyKey: input.idempotency_key?.trim() ?? null,
    note: input.note?.trim() ?? null,
    by,
  };
  const posted = await withStorage(services, () => postAmount(services.managed.accounts, entry, services.clock));
  return postedAnswer(posted);
}

function postedAnswer(posted: Posted): Answer {
  if (posted.kind === "unknown_account") throw unknownAccount();
  const { balanceMicrousd, heldMicrousd } = posted.balance;
  if (!("entry" in posted)) {
    if (posted.kind === "overflow") {
      throw invalidParameter("amount_microusd", "an amount that keeps the balance below 2^53 micro-USD");
    }
    const available = balanceMicrousd - heldMicrousd;
    const message = `Only ${available} micro-USD are available, and a prepaid balance cannot be negative.`;
    throw GatewayError.of("balance_too_low", message);
  }
  const { entry } = posted;
  if (posted.kind === "conflict") {
    const used = `This idempotency key was used for another entry: ${entry.kind} of ${entry.amountMicrousd} micro-USD.`;
    throw GatewayError.of("idempotency_conflict", used, { param: "idempotency_key" });
  }
  const isRepeated = posted.kind === "repeated";
  const view = { ...entryView(entry), repeated: isRepeated, balance_microusd: balanceMicrousd };
  return jsonAnswer(view, isRepeated ? 200 : 201);
}

function unknownAccount() {
  return notFound("account_not_found", "There is no account with this id.", "id");
}
