import { type Answer, jsonAnswer } from "../../pipeline/answer.ts";
import { healthView } from "../../routing/health/health-view.ts";
import { identifyAdmin } from "../keyed.ts";
import type { Visit } from "../visit.ts";

/** `GET /api/admin/health`: how each target of a model and each search backend has been doing. */
export async function listHealth({ services, request }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  const { models, derived } = services.catalog;
  const data = [...models, ...derived, ...services.backends.all].flatMap((model) =>
    healthView(model, services.hideProvider),
  );
  return jsonAnswer({ object: "list", data });
}
