import { answerOf, api } from "./client.ts";
import type { RouteExplanation } from "./types.ts";

/** Asks the router where a request would go now. No provider is asked, and nothing is charged. */
export async function explainRoute(
  endpoint: string,
  body: Readonly<Record<string, unknown>>,
): Promise<RouteExplanation> {
  const params = { query: { endpoint } };
  // The body is that of the endpoint, which may have no model.
  const said = await answerOf(api.POST("/api/routes/explain", { params, body: body as { model: string } }));
  return said as unknown as RouteExplanation;
}
