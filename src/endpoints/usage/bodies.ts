import { bodiesView } from "../../bodies/bodies-view.ts";
import { notFound } from "../../errors.ts";
import { type Answer, jsonAnswer } from "../../pipeline/answer.ts";
import type { Services } from "../../pipeline/services.ts";
import { withStorage } from "../admin/input/with-storage.ts";
import { adminActor, identify, identifyAdmin } from "../keyed.ts";
import type { Visit } from "../visit.ts";
import { findOwnRecord, noSuchRequest } from "./requests.ts";

/** `GET /api/usage/requests/{id}/bodies`: of a request of the same key, or of the account of a user of the console. */
export async function showBodies({ services, request, id }: Visit): Promise<Answer> {
  const identity = await identify(services, request);
  const record = await findOwnRecord(services, identity, id);
  if (record === null) throw noSuchRequest(identity);
  return bodiesOf(services, record.id);
}

/** `GET /api/admin/requests/{id}/bodies`: of any request. */
export async function showBodiesToOperator({ services, request, id }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  return bodiesOf(services, id);
}

/** `DELETE /api/admin/requests/{id}/bodies` */
export async function deleteBodies({ services, request, id }: Visit): Promise<Answer> {
  const by = await adminActor(services, request);
  const isDeleted = await withStorage(services, () => services.managed.bodies.remove(id, by));
  if (!isDeleted) throw noBodies();
  return jsonAnswer({ object: "request.bodies", id, deleted: true });
}

async function bodiesOf(services: Services, id: string): Promise<Answer> {
  const bodies = await withStorage(services, () => services.managed.bodies.find(id, services.clock.now()));
  if (bodies === null) throw noBodies();
  return jsonAnswer(bodiesView(bodies), 200, { "cache-control": "no-store" });
}

function noBodies() {
  const message = "The bodies of this request are not kept, or no longer: see log_bodies of its account.";
  return notFound("bodies_not_found", message, "id");
}
