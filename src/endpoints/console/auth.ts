import { oidcProvider } from "../../console/auth-terms.ts";
import { consolePath } from "../../console/console-path.ts";
import { checkReader } from "../../console/origin.ts";
import { checkNewPassword } from "../../console/password.ts";
import { findSession } from "../../console/session.ts";
import { endedCookie } from "../../console/session-cookie.ts";
import { GatewayError, invalidParameter, notFound } from "../../errors.ts";
import type { Answer } from "../../pipeline/answer.ts";
import { readInput } from "../admin/input/read-input.ts";
import { withStorage } from "../admin/input/with-storage.ts";
import { queryOf, type Handler, type Visit } from "../visit.ts";
import { askLibrary, errorIn, refusalOf } from "./ask-library.ts";
import { beginSession, deviceOf, signInByPassword } from "./begin-session.ts";
import { addressOf, consoleOf, openConsole, sessionOf } from "./console-visit.ts";
import { consoleAnswer, consoleHeaders, cookieHeaders } from "./headers.ts";
import * as schemas from "./schemas.ts";

/** Where a sign-in that failed at a provider goes. */
const signInPage = "/console/sign-in";

/** What may be asked below `/console/auth/`. The library knows more paths; they are not served. */
const steps: Readonly<Record<string, Handler>> = {
  "GET methods": showMethods,
  "POST sign-in/email": signIn,
  "POST sign-in/social": startOidc,
  "GET callback/oidc": endOidc,
  "POST sign-out": signOut,
  "POST change-password": changePassword,
  "GET passkey/generate-authenticate-options": startPasskeySignIn,
  "POST passkey/verify-authentication": signInByPasskey,
  "GET passkey/generate-register-options": startPasskey,
  "POST passkey/verify-registration": addPasskey,
  "GET passkey/list-user-passkeys": listPasskeys,
  "POST passkey/delete-passkey": (visit) => changePasskey(visit, schemas.passkeyIdInput),
  "POST passkey/update-passkey": (visit) => changePasskey(visit, schemas.passkeyNameInput),
};

/** `/console/auth/...`: signing in and out, and what one signs in with. */
export async function answerAuth(visit: Visit): Promise<Answer> {
  consoleOf(visit);
  const method = visit.request.method === "HEAD" ? "GET" : visit.request.method;
  const name = `${method} ${visit.id}`;
  const step = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (step === undefined) throw notFound("unknown_path", `Unknown path ${method} ${visit.path.slice(0, 200)}.`);
  return step(visit);
}

/** `GET methods`: the ways to sign in. */
function showMethods(visit: Visit): Answer {
  const { oidc } = consoleOf(visit).settings;
  const provider = oidc === null ? null : { provider: oidcProvider, name: oidc.name };
  return consoleAnswer({ object: "console_sign_in_methods", password: true, passkey: true, oidc: provider });
}

async function signIn(visit: Visit): Promise<Answer> {
  const { limits } = openConsole(visit);
  const { email, password } = await readInput(visit, schemas.passwordSignInInput);
  const attempt = { address: addressOf(visit), user: email, device: deviceOf(visit, email) };
  limits.begin(attempt);
  const answer = await signInByPassword(visit, email, password);
  limits.succeeded(attempt);
  return answer;
}

async function signInByPasskey(visit: Visit): Promise<Answer> {
  const { limits } = openConsole(visit);
  const body = await readInput(visit, schemas.passkeySignInInput);
  const attempt = { address: addressOf(visit), user: null, device: null };
  limits.begin(attempt);
  const answer = await askLibrary(visit, { method: "POST", path: visit.id, body });
  if (answer.status !== 200)
    throw GatewayError.of("sign_in_failed", "The passkey is not known here, or was not accepted.");
  limits.succeeded(attempt);
  return consoleAnswer({ object: "console_sign_in" }, 200, await beginSession(visit, answer));
}

async function startPasskeySignIn(visit: Visit): Promise<Answer> {
  const console = consoleOf(visit);
  const { headers } = visit.request;
  checkReader(headers, console.siteOf(headers));
  console.limits.challenge(addressOf(visit));
  return passed(visit);
}

async function startPasskey(visit: Visit): Promise<Answer> {
  const { user } = await sessionOf(visit);
  consoleOf(visit).limits.ownChallenge(user.id);
  return passed(visit);
}

async function addPasskey(visit: Visit): Promise<Answer> {
  await sessionOf(visit);
  return passed(visit, await readInput(visit, schemas.passkeyInput));
}

async function listPasskeys(visit: Visit): Promise<Answer> {
  await sessionOf(visit);
  return passed(visit);
}

async function changePasskey(
  visit: Visit,
  schema: typeof schemas.passkeyIdInput | typeof schemas.passkeyNameInput,
): Promise<Answer> {
  await sessionOf(visit);
  return passed(visit, await readInput(visit, schema));
}

async function changePassword(visit: Visit): Promise<Answer> {
  const { user } = await sessionOf(visit);
  const { limits } = consoleOf(visit);
  const { currentPassword, newPassword } = await readInput(visit, schemas.passwordChangeInput);
  checkNewPassword(newPassword, "newPassword");
  // Counted apart from sign-ins, which strangers can use up. No device has such an id.
  const attempt = { address: addressOf(visit), user: null, device: user.id };
  limits.begin(attempt);
  const body = { currentPassword, newPassword, revokeOtherSessions: true };
  const answer = await askLibrary(visit, { method: "POST", path: visit.id, body });
  if (errorIn(answer.body).code === "INVALID_PASSWORD")
    throw invalidParameter("currentPassword", "the present password");
  if (answer.status !== 200) throw refusalOf(answer);
  limits.succeeded(attempt);
  return consoleAnswer({ object: "console_sign_in" }, 200, answer.cookies);
}

async function signOut(visit: Visit): Promise<Answer> {
  const console = openConsole(visit);
  const { headers } = visit.request;
  if ((await findSession(console, headers, visit.services)) !== null) {
    const { id } = await sessionOf(visit);
    await withStorage(visit.services, () => console.store.removeSession(id, null));
  }
  return consoleAnswer({ object: "console_sign_out" }, 200, [endedCookie(console.siteOf(headers).isSecure)]);
}

/** Where the browser has to go to sign in at the OIDC provider. */
async function startOidc(visit: Visit): Promise<Answer> {
  const { limits, settings } = openConsole(visit);
  const { callbackURL } = await readInput(visit, schemas.oidcSignInInput);
  if (settings.oidc === null) throw notFound("unknown_path", "There is no OIDC provider in the configuration.");
  limits.challenge(addressOf(visit));
  const body = {
    provider: oidcProvider,
    callbackURL: consolePath(callbackURL),
    errorCallbackURL: signInPage,
    disableRedirect: true,
  };
  const answer = await askLibrary(visit, { method: "POST", path: visit.id, body, use: "oidc" });
  const { url } = typeof answer.body === "object" && answer.body !== null ? (answer.body as { url?: unknown }) : {};
  if (answer.status !== 200 || typeof url !== "string") throw refusalOf(answer);
  return consoleAnswer({ object: "console_redirect", url }, 200, answer.cookies);
}

/** The browser comes back from the OIDC provider: a link of another site, which its state protects. */
async function endOidc(visit: Visit): Promise<Answer> {
  const console = consoleOf(visit);
  if (console.settings.oidc === null) throw notFound("unknown_path", "There is no OIDC provider in the configuration.");
  console.limits.challenge(addressOf(visit));
  const path = `${visit.id}?${queryOf(visit.request.target).toString()}`;
  const answer = await askLibrary(visit, { method: "GET", path, use: "oidc" });
  const cookies = await beginSession(visit, answer);
  const { origin } = console.siteOf(visit.request.headers);
  const location =
    answer.location?.startsWith(`${origin}/`) === true ? answer.location.slice(origin.length) : answer.location;
  const headers = { ...consoleHeaders, "cache-control": "no-store", ...cookieHeaders(cookies) };
  return {
    status: 302,
    headers: { ...headers, location: consolePath(location ?? `${signInPage}?error=oidc`) },
    body: null,
  };
}

/** The library's own answer, without a query. */
async function passed(visit: Visit, body?: object): Promise<Answer> {
  const method = body === undefined ? "GET" : "POST";
  const answer = await askLibrary(visit, { method, path: visit.id, ...(body && { body }) });
  if (answer.status !== 200) throw refusalOf(answer);
  return consoleAnswer(answer.body, 200, answer.cookies);
}
