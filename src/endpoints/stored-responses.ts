import { type Answer, jsonAnswer } from "../pipeline/answer.ts";
import { listInputItems, type ListQuery } from "../dialects/openai-responses/request/stored-items.ts";
import { invalidParameter, invalidRequest, unsupportedParameter } from "../errors.ts";
import { identify, identifyKey } from "./keyed.ts";
import { queryOf, type Visit } from "./visit.ts";

/** `GET /v1/responses/{id}` */
export async function retrieveResponse({ services, request, id }: Visit): Promise<Answer> {
  const { key } = await identify(services, request);
  if (queryOf(request.target).get("stream") === "true") {
    throw unsupportedParameter("stream", "A stored response cannot be streamed: leave 'stream' out.");
  }
  const text = await services.responses.find(key.id, id);
  return { status: 200, headers: { "content-type": "application/json" }, body: text };
}

/** `DELETE /v1/responses/{id}` */
export async function deleteResponse({ services, request, id }: Visit): Promise<Answer> {
  const { key } = await identifyKey(services, request);
  await services.responses.delete(key.id, id);
  return jsonAnswer({ id, object: "response", deleted: true });
}

/** `GET /v1/responses/{id}/input_items` */
export async function listResponseInput({ services, request, id }: Visit): Promise<Answer> {
  const { key } = await identify(services, request);
  const query = readListQuery(queryOf(request.target));
  return jsonAnswer(listInputItems(await services.responses.inputItems(key.id, id), query));
}

/** `POST /v1/responses/{id}/cancel`: there is nothing to cancel, as no response is made in the background. */
export async function cancelResponse({ services, request, id }: Visit): Promise<Answer> {
  const { key } = await identifyKey(services, request);
  await services.responses.find(key.id, id);
  throw invalidRequest("invalid_request", "Cannot cancel a synchronous response.", "response_id");
}

const maxItems = 100;
const usualItems = "20";

function readListQuery(query: URLSearchParams): ListQuery {
  const limit = query.get("limit") ?? usualItems;
  if (!/^\d{1,3}$/.test(limit) || Number(limit) < 1 || Number(limit) > maxItems) {
    throw invalidParameter("limit", `a whole number from 1 to ${maxItems}`);
  }
  const order = query.get("order") ?? "desc";
  if (order !== "asc" && order !== "desc") throw invalidParameter("order", "asc or desc");
  return { limit: Number(limit), order, after: query.get("after") };
}
