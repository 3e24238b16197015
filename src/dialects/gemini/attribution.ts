import { type BodyAttribution, firstText } from "../../attribution/body-attribution.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

/**
 * For whom a request is: the labels `user` or `end_user`, `session` or `session_id`; the others become tags. Null if it
 * has no labels.
 */
export function geminiAttribution(body: JsonObject): BodyAttribution | null {
  const labels = body.labels ?? requestWithin(body)?.labels;
  if (!isObject(labels)) return null;
  const { user, end_user: endUser, session, session_id: sessionId, ...values } = labels;
  return {
    endUser: firstText(endUser, user),
    session: firstText(session, sessionId),
    labels: { field: "labels", values },
  };
}

/** The request that a token count is of, if it is written as a whole. */
function requestWithin(body: JsonObject): JsonObject | null {
  const request = body.generateContentRequest ?? body.generate_content_request;
  return isObject(request) ? request : null;
}
