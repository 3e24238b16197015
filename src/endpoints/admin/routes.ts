import { type Answer, jsonAnswer } from "../../pipeline/answer.ts";
import { invalidRequest } from "../../errors.ts";
import { readJsonObject } from "../../json/read-object.ts";
import { jsonText } from "../../operations/conversation.ts";
import { readBody } from "../../pipeline/read-body.ts";
import { routeView } from "../../routing/stored/route-view.ts";
import { adminActor, identifyAdmin } from "../keyed.ts";
import type { Visit } from "../visit.ts";

const maxBodyBytes = 64 * 1024;
const noMembers: ReadonlySet<string> = new Set();
/** So little of an operator's is not counted among the bodies of callers. */
const uncounted = { addBodyBytes() {}, addParsedBytes() {}, onRelease: null };

/** `GET /api/admin/routes` */
export async function listRoutes({ services, request }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  return jsonAnswer({ object: "list", data: services.routes.list().map(routeView) });
}

/** `PUT /api/admin/routes/{id}`: adds a stored route or replaces it. */
export async function putRoute({ services, request, id }: Visit): Promise<Answer> {
  const by = await adminActor(services, request);
  const bodyLimits = { ...services.bodyLimits, maxBodyBytes };
  const text = jsonText(await readBody({ ...services, bodyLimits }, null, request, "json", uncounted));
  if (text === "") throw invalidRequest("invalid_json", "The request body is empty: send the route as JSON.");
  const { body } = readJsonObject(text, noMembers);
  return jsonAnswer(routeView(await services.routes.put(id, body, by)));
}

/** `DELETE /api/admin/routes/{id}` */
export async function deleteRoute({ services, request, id }: Visit): Promise<Answer> {
  await services.routes.remove(id, await adminActor(services, request));
  return jsonAnswer({ id, object: "route", deleted: true });
}
