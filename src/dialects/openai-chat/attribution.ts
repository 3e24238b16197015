import { type BodyAttribution, firstText, isSaid, splitUserId } from "../../attribution/body-attribution.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

/**
 * For whom a request of OpenAI's dialects is: the end user in `user`, `safety_identifier` or `metadata.user_id`, the
 * session in `metadata.session_id` or `prompt_cache_key`, in this order. Null if it says nothing.
 */
export function openaiAttribution(body: JsonObject): BodyAttribution | null {
  const { user, safety_identifier: safety, prompt_cache_key: cacheKey, metadata } = body;
  if (user === undefined && safety === undefined && cacheKey === undefined && metadata === undefined) return null;
  const named = isObject(metadata) ? metadata : {};
  const { endUser, session } = splitUserId([user, safety, named.user_id].find(isSaid));
  return { endUser, session: firstText(named.session_id, session, cacheKey), labels: null };
}
