import { type Answer, jsonAnswer } from "../../pipeline/answer.ts";
import { invalidRequest } from "../../errors.ts";
import { readJsonObject } from "../../json/read-object.ts";
import { routeView } from "../../routing/stored/route-view.ts";
import { adminActor, identifyAdmin } from "../keyed.ts";
import type { Visit } from "../visit.ts";
import { readText, uncounted } from "./read-text.ts";

const maxBodyBytes = 64 * 1024;
const noMembers: ReadonlySet<string> = new Set();

/** `GET /api/admin/routes` */
export async function listRoutes({ services, request }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  return jsonAnswer({ object: "list", data: services.routes.list().map(routeView) });
}

/** `PUT /api/admin/routes/{id}`: adds a stored route or replaces it. */
export async function putRoute(visit: Visit): Promise<Answer> {
  const { services, request, id } = visit;
  const by = await adminActor(services, request);
  const text = await readText(visit, maxBodyBytes, uncounted);
  if (text === "") throw invalidRequest("invalid_json", "The request body is empty: send the route as JSON.");
  const { body } = readJsonObject(text, noMembers);
  return jsonAnswer(routeView(await services.routes.put(id, body, by)));
}

/** `DELETE /api/admin/routes/{id}` */
export async function deleteRoute({ services, request, id }: Visit): Promise<Answer> {
  await services.routes.remove(id, await adminActor(services, request));
  return jsonAnswer({ id, object: "route", deleted: true });
}
