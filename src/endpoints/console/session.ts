import { csrfToken } from "../../console/session.ts";
import type { StoredSession } from "../../console/console-store.ts";
import { userView } from "../../console/user.ts";
import { notFound } from "../../errors.ts";
import type { Answer } from "../../pipeline/answer.ts";
import { withStorage } from "../admin/input/with-storage.ts";
import type { Visit } from "../visit.ts";
import { consoleOf, sessionOf } from "./console-visit.ts";
import { consoleAnswer } from "./headers.ts";

const maxSessions = 1_000;

/** `GET /console/session`: who is signed in, and the token that requests that change something carry. */
export async function showSession(visit: Visit): Promise<Answer> {
  const session = await sessionOf(visit);
  return consoleAnswer({
    object: "console_session",
    id: session.id,
    user: userView(session.user),
    csrf: csrfToken(consoleOf(visit), session),
    created_at: seconds(session.createdAt),
    expires_at: seconds(session.expiresAt),
  });
}

/** `GET /console/sessions`: one's own, newest first; an owner's are those of all users. */
export async function listSessions(visit: Visit): Promise<Answer> {
  const session = await sessionOf(visit);
  const { services } = visit;
  const { store } = consoleOf(visit);
  const of = session.user.role === "owner" ? null : session.user.id;
  const found = await withStorage(services, () => store.listSessions(of, services.clock.now(), maxSessions));
  return consoleAnswer({ object: "list", data: found.map((each) => sessionView(each, session.id)) });
}

/** `DELETE /console/sessions/{id}`: one's own, or any if an owner asks. It ends at once. */
export async function endSession(visit: Visit): Promise<Answer> {
  const { user } = await sessionOf(visit);
  const { store } = consoleOf(visit);
  const of = user.role === "owner" ? null : user.id;
  const isEnded = await withStorage(visit.services, () => store.removeSession(visit.id, of));
  if (!isEnded) throw notFound("session_not_found", "There is no session with this id.", "id");
  return consoleAnswer({ id: visit.id, object: "console_session", deleted: true });
}

function sessionView({ id, user, createdAt, expiresAt, address, userAgent }: StoredSession, ownId: string) {
  return {
    object: "console_session",
    id,
    user: userView(user),
    current: id === ownId,
    created_at: seconds(createdAt),
    expires_at: seconds(expiresAt),
    address,
    user_agent: userAgent,
  };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
