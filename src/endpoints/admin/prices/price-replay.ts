import { readVersion } from "../../../billing/price-lists/price-versions.ts";
import { type Answer, jsonAnswer } from "../../../pipeline/answer.ts";
import { identifyAdmin } from "../../keyed.ts";
import type { Visit } from "../../visit.ts";
import { replayQuery } from "./price-schemas.ts";
import { readQuery } from "../input/read-input.ts";
import { replayOf } from "./replay-of.ts";
import { withStorage } from "../input/with-storage.ts";

/** `GET /api/admin/prices/replay?from=1&to=2`: what the usage of the last days would have cost by each of two versions. */
export async function replayVersions(visit: Visit): Promise<Answer> {
  const { services, request } = visit;
  await identifyAdmin(services, request);
  const { from, to, days } = readQuery(visit, replayQuery);
  const { prices } = services.managed;
  const [before, after] = await withStorage(services, async () => [
    await readVersion(prices, from),
    await readVersion(prices, to),
  ]);
  const view = await replayOf(services, before, after, days);
  return jsonAnswer({ object: "price_list.replay", from, to, ...view });
}
