import { changeView } from "../../../changes/change-view.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import { identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { changeListQuery } from "./change-schemas.ts";
import { toPage } from "../input/page.ts";
import { readQuery } from "../input/read-input.ts";
import { withStorage } from "../input/with-storage.ts";

/** `GET /api/admin/changes`: who changed what, newest first. */
export async function listChanges(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { kind = null, id = null, limit, after = null } = readQuery(visit, changeListQuery);
  const found = await withStorage(services, () => services.managed.changes.list({ kind, id, limit: limit + 1, after }));
  return jsonAnswer(toPage(found, limit, changeView, ({ sequence }) => sequence));
}
