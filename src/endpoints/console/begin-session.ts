import type { Answer } from "../../pipeline/answer.ts";
import { deviceCookie, readDevice } from "../../console/device-cookie.ts";
import { findSession } from "../../console/session.ts";
import { wrongPassword } from "../../console/password.ts";
import { withStorage } from "../admin/input/with-storage.ts";
import type { Visit } from "../visit.ts";
import { askLibrary, type LibraryAnswer } from "./ask-library.ts";
import { consoleOf } from "./console-visit.ts";
import { consoleAnswer } from "./headers.ts";

/** The device of this user that a request comes from; null if it is unknown. */
export function deviceOf(visit: Visit, email: string): string | null {
  return readDevice(visit.request.headers.get("cookie"), deviceOwner(visit, email));
}

function deviceOwner(visit: Visit, email: string) {
  const console = consoleOf(visit);
  const { isSecure } = console.siteOf(visit.request.headers);
  return { email, isSecure, secret: console.secrets().devices, now: visit.services.clock.now() };
}

/** Sessions of a user; the oldest beyond them end. */
const maxSessions = 20;

/** Signs a user in. @throws 401 if address or password is wrong */
export async function signInByPassword(visit: Visit, email: string, password: string): Promise<Answer> {
  const answer = await askLibrary(visit, { method: "POST", path: "sign-in/email", body: { email, password } });
  if (answer.status !== 200) throw wrongPassword();
  // Without the body of the library, which has the token that scripts shall not see.
  return consoleAnswer({ object: "console_sign_in" }, 200, await beginSession(visit, answer));
}

/**
 * What comes with a new session: the one before ends, and so do those whose time is over.
 * @returns the cookies to set: those of the library, and one that makes the browser a device of its user
 */
export async function beginSession(visit: Visit, { cookies }: LibraryAnswer): Promise<readonly string[]> {
  const { services } = visit;
  const console = consoleOf(visit);
  const { store } = console;
  const before = await findSession(console, visit.request.headers, services);
  const cookie = cookies.map((each) => each.split(";", 1)[0] ?? "").join("; ");
  const begun = await findSession(console, { get: () => cookie, has: () => true }, services);
  await withStorage(services, async () => {
    await store.removeExpired(services.clock.now());
    if (before !== null && before.id !== begun?.id) await store.removeSession(before.id, null);
    if (begun !== null) await store.trimSessions(begun.user.id, maxSessions);
  });
  if (begun === null) return cookies;
  const { email } = begun.user;
  return [...cookies, deviceCookie(deviceOf(visit, email), deviceOwner(visit, email))];
}
