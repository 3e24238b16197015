import { issueLink, linkUrl } from "../../console/links.ts";
import { type ConsoleUser, emailTaken, type Role, userView } from "../../console/user.ts";
import type { UserChanged } from "../../console/console-store.ts";
import { GatewayError, invalidParameter, missingParameter, notFound } from "../../errors.ts";
import type { Answer } from "../../pipeline/answer.ts";
import { withStorage } from "../admin/with-storage.ts";
import type { Visit } from "../visit.ts";
import { consoleOf, ownerInput, ownerSession } from "./console-visit.ts";
import { consoleAnswer } from "./headers.ts";
import { invitationInput, userChangeInput } from "./schemas.ts";

const maxUsers = 1_000;

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
  const user = await withStorage(visit.services, async (): Promise<ConsoleUser> => {
    const before = await store.findUser(visit.id);
    if (before === null) throw unknownUser();
    const { name = before.name, role = before.role } = input;
    const account = input.account_id === undefined && role === "member" ? before.accountId : (input.account_id ?? null);
    const change = { name, role, accountId: await readAccount(visit, role, account) };
    checkChanged(await store.changeUser(visit.id, change, { kind: "console", user: owner.email }));
    return { ...before, ...change };
  });
  return consoleAnswer(userView(user));
}

/** `DELETE /console/users/{id}`: with all sessions and passkeys. For owners. */
export async function removeUser(visit: Visit): Promise<Answer> {
  const { user: owner } = await ownerSession(visit);
  const { store } = consoleOf(visit);
  await withStorage(visit.services, async () => {
    checkChanged(await store.removeUser(visit.id, { kind: "console", user: owner.email }));
  });
  return consoleAnswer({ id: visit.id, object: "console_user", deleted: true });
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
