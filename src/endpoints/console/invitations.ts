import type { PendingLink } from "../../console/console-store.ts";
import { notFound } from "../../errors.ts";
import type { Answer } from "../../pipeline/answer.ts";
import { withStorage } from "../admin/input/with-storage.ts";
import type { Visit } from "../visit.ts";
import { consoleOf, ownerSession } from "./console-visit.ts";
import { consoleAnswer } from "./headers.ts";

const maxLinks = 1_000;

/** `GET /console/invitations`: the links that can still be used, of invitations and resets, newest first. For owners. */
export async function listInvitations(visit: Visit): Promise<Answer> {
  await ownerSession(visit);
  const { services } = visit;
  const links = await withStorage(services, () => consoleOf(visit).store.listLinks(services.clock.now(), maxLinks));
  return consoleAnswer({ object: "list", data: links.map(linkView) });
}

/** `DELETE /console/invitations/{id}`: the link cannot be used any more. For owners. */
export async function revokeInvitation(visit: Visit): Promise<Answer> {
  const { user: owner } = await ownerSession(visit);
  const { services, id } = visit;
  const by = { kind: "console", user: owner.email } as const;
  const isRevoked = await withStorage(services, () => consoleOf(visit).store.removeLink(id, services.clock.now(), by));
  if (!isRevoked) throw notFound("link_not_valid", "There is no invitation with this id that can still be used.", "id");
  return consoleAnswer({ id, object: "console_invitation", deleted: true });
}

function linkView({ id, kind, email, name, role, accountId, createdAt, expiresAt }: PendingLink) {
  const times = { created_at: Math.floor(createdAt / 1000), expires_at: Math.floor(expiresAt / 1000) };
  return { object: "console_invitation", id, kind, email, name, role, account_id: accountId, ...times };
}
