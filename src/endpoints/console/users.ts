import { issueLink, linkUrl } from "../../console/links.ts";
import { type ConsoleUser, emailTaken, type Role, userView } from "../../console/user.ts";
import { disableKey } from "../../access/manage.ts";
import type { Actor } from "../../changes/change.ts";
import type { KnownKey, UserChanged } from "../../console/console-store.ts";
import { GatewayError, invalidParameter, missingParameter, notFound } from "../../errors.ts";
import type { Answer } from "../../pipeline/answer.ts";
import { readQuery } from "../admin/input/read-input.ts";
import { withStorage } from "../admin/input/with-storage.ts";
import type { Visit } from "../visit.ts";
import { consoleOf, ownerInput, ownerSession } from "./console-visit.ts";
import { consoleAnswer } from "./headers.ts";
import { invitationInput, removalQuery, userChangeInput } from "./schemas.ts";

const maxUsers = 1_000;
const maxKeys = 1_000;

/** `GET /console/users`: oldest first. For owners. */
export async function listUsers(visit: Visit): Promise<Answer> {
  await ownerSession(visit);
  const users = await withStorage(visit.services, () => consoleOf(visit).store.listUsers(maxUsers));
  return consoleAnswer({ object: "list", data: users.map(userView) });
}

/** `POST /console/users`: invites a user by a link, which is shown once. For owners. */
export async function inviteUser(visit: Visit): Promise<Answer> {
  const { owner, input } = await ownerInput(visit, invitationInput);
  const { email, name, role, account_id: given } = input;
  const { services, request } = visit;
  const console = consoleOf(visit);
  const token = await withStorage(services, async () => {
    const accountId = await readAccount(visit, role, given ?? null);
    if ((await console.store.findUserByEmail(email)) !== null) throw emailTaken();
    if ((await console.store.listUsers(maxUsers)).length >= maxUsers) {
      throw invalidParameter("email", `no more than ${maxUsers} users`);
    }
    const link = { kind: "invitation", email, name, role, accountId, userId: null } as const;
    const by = { kind: "console", user: owner.email } as const;
    return issueLink(console.store, link, { now: services.clock.now(), by });
  });
  const link = linkUrl(console.siteOf(request.headers).origin, token);
  return consoleAnswer({ object: "console_invitation", email, name, role, account_id: given ?? null, link }, 201);
}

/** `PATCH /console/users/{id}`: the name, the role or the account of a user. For owners. */
export async function changeUser(visit: Visit): Promise<Answer> {
  const { owner, input } = await ownerInput(visit, userChangeInput);
  const { store } = consoleOf(visit);
  const { user, disabled } = await withStorage(visit.services, async () => {
    const before = await store.findUser(visit.id);
    if (before === null) throw unknownUser();
    const { name = before.name, role = before.role } = input;
    const account = input.account_id === undefined && role === "member" ? before.accountId : (input.account_id ?? null);
    const change = { name, role, accountId: await readAccount(visit, role, account) };
    const by = { kind: "console", user: owner.email } as const;
    const losesAdmin = before.role !== "member" && role === "member";
    const { done, disabled } = await withKeysDisabled(
      visit,
      { user: before, by, isWanted: losesAdmin && input.admin_keys !== "keep", keepsOwner: role === "owner" },
      () => store.changeUser(visit.id, change, by),
    );
    checkChanged(done);
    return { user: { ...before, ...change }, disabled };
  });
  return consoleAnswer({ ...userView(user), disabled_keys: disabled });
}

/**
 * `DELETE /console/users/{id}?admin_keys=keep`: with all sessions and passkeys. The admin keys that the user was shown are
 * disabled, unless they are to be kept. For owners.
 */
export async function removeUser(visit: Visit): Promise<Answer> {
  const { user: owner } = await ownerSession(visit);
  const { admin_keys: keys } = readQuery(visit, removalQuery);
  const { store } = consoleOf(visit);
  const by = { kind: "console", user: owner.email } as const;
  const disabled = await withStorage(visit.services, async () => {
    const user = await store.findUser(visit.id);
    if (user === null) throw unknownUser();
    const plan = { user, by, isWanted: keys !== "keep", keepsOwner: false };
    const removal = await withKeysDisabled(visit, plan, () => store.removeUser(visit.id, by));
    checkChanged(removal.done);
    return removal.disabled;
  });
  return consoleAnswer({ id: visit.id, object: "console_user", deleted: true, disabled_keys: disabled });
}

/** `GET /console/users/{id}/admin-keys`: the admin keys in force that a user was shown. For owners. */
export async function listAdminKeys(visit: Visit): Promise<Answer> {
  await ownerSession(visit);
  const { services, id } = visit;
  const { store } = consoleOf(visit);
  const keys = await withStorage(services, async () => {
    const user = await store.findUser(id);
    if (user === null) throw unknownUser();
    return store.adminKeysOf(user.email, services.clock.now(), maxKeys);
  });
  return consoleAnswer({ object: "list", data: keys });
}

interface KeyPlan {
  readonly user: ConsoleUser;
  readonly by: Actor;
  readonly isWanted: boolean;
  /** Whether the user stays an owner. */
  readonly keepsOwner: boolean;
}

/**
 * Changes a user and disables the admin keys that the user was shown: before, so that a failure between the two leaves no key to
 * someone who is gone, and once more after it, for those that were made meanwhile.
 */
async function withKeysDisabled(
  visit: Visit,
  { user, by, isWanted, keepsOwner }: KeyPlan,
  change: () => Promise<UserChanged>,
): Promise<{ readonly done: UserChanged; readonly disabled: readonly KnownKey[] }> {
  const { keys, clock } = visit.services;
  const { store } = consoleOf(visit);
  const disabled: KnownKey[] = [];
  const disableAll = async () => {
    if (!isWanted) return;
    for (const key of await store.adminKeysOf(user.email, clock.now(), maxKeys)) {
      await disableKey(keys, key.id, clock, by);
      disabled.push(key);
    }
  };
  const owners = (await store.listUsers(maxUsers)).filter(({ role }) => role === "owner");
  if (user.role === "owner" && !keepsOwner && owners.length === 1) return { done: "last_owner", disabled };
  await disableAll();
  const done = await change();
  if (done === "changed") await disableAll();
  return { done, disabled };
}

/** `POST /console/users/{id}/reset`: a link for a new password, shown once. For owners. */
export async function resetUser(visit: Visit): Promise<Answer> {
  const { user: owner } = await ownerSession(visit);
  const { services, request, id } = visit;
  const console = consoleOf(visit);
  const token = await withStorage(services, async () => {
    const user = await console.store.findUser(id);
    if (user === null) throw unknownUser();
    const { email, name, role, accountId } = user;
    const link = { kind: "reset", email, name, role, accountId, userId: id } as const;
    const by = { kind: "console", user: owner.email } as const;
    return issueLink(console.store, link, { now: services.clock.now(), by });
  });
  const link = linkUrl(console.siteOf(request.headers).origin, token);
  return consoleAnswer({ object: "console_reset", user_id: id, link }, 201);
}

/** A member belongs to an account that exists, others to none. @throws 400 naming `account_id` */
async function readAccount({ services }: Visit, role: Role, accountId: string | null): Promise<string | null> {
  if (role !== "member") {
    if (accountId !== null) throw invalidParameter("account_id", "an account for members alone");
    return null;
  }
  if (accountId === null) throw missingParameter("account_id");
  if ((await services.managed.accounts.find(accountId)) === null) {
    throw invalidParameter("account_id", "the id of an account");
  }
  return accountId;
}

function checkChanged(result: UserChanged): void {
  if (result === "unknown") throw unknownUser();
  if (result === "changed") return;
  throw GatewayError.of("last_owner", "The last owner cannot be removed, or get another role.");
}

function unknownUser(): GatewayError {
  return notFound("user_not_found", "There is no user with this id.", "id");
}
