import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import { invalidRequest } from "../../../errors.ts";
import { readJsonObject } from "../../../json/read-object.ts";
import { routeView } from "../../../routing/stored/route-view.ts";
import { explained } from "../../explain-route.ts";
import { adminActor, identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { readText, uncounted } from "../input/read-text.ts";
import { readInput } from "../input/read-input.ts";
import { draftInput } from "./route-schemas.ts";

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

/** `POST /api/admin/explain-route?endpoint=chat`: where a request for a route would go that is not stored yet. Nothing is changed. */
export async function explainDraft(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  const identity = await identifyAdmin(services, request);
  const { id, route, request: body } = await readInput(visit, draftInput);
  const destination = services.names.draft(await services.routes.check(id, route));
  const { names } = services;
  const drafted = { ...names, find: (name: string) => (name === id ? destination : names.find(name)) };
  return explained({ ...services, names: drafted }, request, identity, { ...body, model: id });
}

/** `DELETE /api/admin/routes/{id}` */
export async function deleteRoute({ services, request, id }: Visit): Promise<Answer> {
  await services.routes.remove(id, await adminActor(services, request));
  return jsonAnswer({ id, object: "route", deleted: true });
}
