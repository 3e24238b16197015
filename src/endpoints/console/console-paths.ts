import { lazily } from "../lazily.ts";
import type { Handlers } from "../visit.ts";

const app = lazily(() => import("./app.ts"));
const auth = lazily(() => import("./auth.ts"));
const invitations = lazily(() => import("./invitations.ts"));
const links = lazily(() => import("./links.ts"));
const sessions = lazily(() => import("./session.ts"));
const users = lazily(() => import("./users.ts"));

/** The paths of the console, which its own pages alone use: docs/console.md has them. */
export const consolePaths: readonly (readonly [path: string, handlers: Handlers])[] = [
  ["/console", { GET: app("showApp") }],
  ["/console/{id+}", { GET: app("showApp") }],
  ["/console/assets/{id+}", { GET: app("showAsset") }],
  ["/console/auth/{id+}", { GET: auth("answerAuth"), POST: auth("answerAuth") }],
  ["/console/auth-setup", { POST: links("useLink") }],
  ["/console/auth-setup/check", { POST: links("checkLink") }],
  ["/console/session", { GET: sessions("showSession") }],
  ["/console/sessions", { GET: sessions("listSessions") }],
  ["/console/sessions/{id}", { DELETE: sessions("endSession") }],
  ["/console/users", { GET: users("listUsers"), POST: users("inviteUser") }],
  ["/console/users/{id}", { PATCH: users("changeUser"), DELETE: users("removeUser") }],
  ["/console/users/{id}/admin-keys", { GET: users("listAdminKeys") }],
  ["/console/invitations", { GET: invitations("listInvitations") }],
  ["/console/invitations/{id}", { DELETE: invitations("revokeInvitation") }],
  ["/console/users/{id}/reset", { POST: users("resetUser") }],
];
