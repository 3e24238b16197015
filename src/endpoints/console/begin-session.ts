import type { Answer } from "../../pipeline/answer.ts";
import { findSession } from "../../console/session.ts";
import { wrongPassword } from "../../console/password.ts";
import { withStorage } from "../admin/with-storage.ts";
import type { Visit } from "../visit.ts";
import { askLibrary, type LibraryAnswer } from "./ask-library.ts";
import { consoleOf } from "./console-visit.ts";
import { consoleAnswer } from "./headers.ts";

/** Sessions of a user; the oldest beyond them end. */
const maxSessions = 20;

/** Signs a user in. @throws 401 if address or password is wrong */
export async function signInByPassword(visit: Visit, email: string, password: string): Promise<Answer> {
  const answer = await askLibrary(visit, { method: "POST", path: "sign-in/email", body: { email, password } });
  if (answer.status !== 200) throw wrongPassword();
  await beginSession(visit, answer);
  // Without the body of the library, which has the token that scripts shall not see.
  return consoleAnswer({ object: "console_sign_in" }, 200, answer.cookies);
}

/** What comes with a new session: the one before ends, and so do those whose time is over. */
export async function beginSession(visit: Visit, { cookies }: LibraryAnswer): Promise<void> {
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
}
