import type { Services } from "../../../pipeline/services.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import type { HealthClocks } from "../../../routing/health/health-summary.ts";
import { healthView } from "../../../routing/health/health-view.ts";
import { identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";

/** `GET /api/admin/health`: how each target of a model and each search backend has been doing. */
export async function listHealth({ services, request }: Visit): Promise<Answer> {
  await identifyAdmin(services, request);
  const { models, derived } = services.catalog;
  const data = [...models, ...derived, ...services.backends.all].flatMap((model) =>
    healthView(model, services.hideProvider, epochOf(services)),
  );
  return jsonAnswer({ object: "list", data });
}

/** The clocks by which health is shown. */
export function clocksOf(services: Pick<Services, "clock" | "steady">): HealthClocks {
  return { now: services.steady.now(), epoch: epochOf(services) };
}

/** The time of day at which the steady clock was 0, by which health is kept. */
export function epochOf({ clock, steady }: Pick<Services, "clock" | "steady">): number {
  return clock.now() - steady.now();
}
