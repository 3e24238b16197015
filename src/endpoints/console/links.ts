import { type ConsoleLink, EmailTaken } from "../../console/console-store.ts";
import { hashToken } from "../../console/links.ts";
import { checkNewPassword, hashPassword } from "../../console/password.ts";
import { type ConsoleUser, emailTaken } from "../../console/user.ts";
import { type GatewayError, invalidParameter, missingParameter, notFound } from "../../errors.ts";
import type { Answer } from "../../pipeline/answer.ts";
import { readInput } from "../admin/input/read-input.ts";
import { withStorage } from "../admin/input/with-storage.ts";
import type { Visit } from "../visit.ts";
import { signInByPassword } from "./begin-session.ts";
import { addressOf, openConsole } from "./console-visit.ts";
import { consoleAnswer } from "./headers.ts";
import { linkInput, redemptionInput } from "./schemas.ts";

/** `POST /console/auth-setup/check`: what a link is for. It can still be used afterwards. */
export async function checkLink(visit: Visit): Promise<Answer> {
  const { limits, store } = openConsole(visit);
  const { token } = await readInput(visit, linkInput);
  const attempt = { address: addressOf(visit), user: null, device: null };
  limits.begin(attempt);
  const { kind, email, name, role, accountId, expiresAt } = await findLink(visit, store, hashToken(token));
  limits.succeeded(attempt);
  const expires = Math.floor(expiresAt / 1000);
  return consoleAnswer({ object: "console_link", kind, email, name, role, account_id: accountId, expires_at: expires });
}

/** `POST /console/auth-setup`: uses a link up, makes its user or sets a new password, and signs in. */
export async function useLink(visit: Visit): Promise<Answer> {
  const { limits, store } = openConsole(visit);
  const input = await readInput(visit, redemptionInput);
  const attempt = { address: addressOf(visit), user: null, device: null };
  limits.begin(attempt);
  const { services } = visit;
  const hash = hashToken(input.token);
  const link = await findLink(visit, store, hash);
  const user = await userOfLink(visit, link, input);
  checkNewPassword(input.password, "password");
  const passwordHash = await hashPassword(input.password);
  await withStorage(services, async () => {
    try {
      const isUsed = await store.redeem(hash, link, { user, passwordHash }, services.clock.now());
      if (!isUsed) throw invalidLink();
    } catch (error) {
      throw error instanceof EmailTaken ? emailTaken() : error;
    }
  });
  limits.succeeded({ ...attempt, user: user.email });
  return signInByPassword(visit, user.email, input.password);
}

async function findLink(
  { services }: Visit,
  store: Pick<ReturnType<typeof openConsole>["store"], "findLink">,
  hash: string,
) {
  const link = await withStorage(services, () => store.findLink(hash, services.clock.now()));
  if (link === null) throw invalidLink();
  return link;
}

/** The user that a link makes, or whose password it sets. @throws 400 naming what is missing */
async function userOfLink(
  visit: Visit,
  link: ConsoleLink,
  input: { readonly name?: string | undefined; readonly email?: string | undefined },
): Promise<ConsoleUser> {
  const { services } = visit;
  const { userId } = link;
  if (userId !== null) {
    const user = await withStorage(services, () => openConsole(visit).store.findUser(userId));
    if (user === null) throw invalidLink();
    return user;
  }
  const email = link.email ?? input.email;
  if (email === undefined) throw missingParameter("email");
  if (input.email !== undefined && input.email !== email)
    throw invalidParameter("email", "the address that was invited");
  const name = input.name ?? link.name;
  if (name === null) throw missingParameter("name");
  const { role, accountId } = link;
  return { id: crypto.randomUUID(), name, email, role, accountId, createdAt: services.clock.now() };
}

function invalidLink(): GatewayError {
  const message = "This link is not valid: it has been used, has expired, or was replaced by a newer one.";
  return notFound("link_not_valid", message, "token");
}
