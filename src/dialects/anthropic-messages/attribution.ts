import { type BodyAttribution, splitUserId } from "../../attribution/body-attribution.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

/** For whom a request is: `metadata.user_id`, which may hold a session too. Null if it says nothing. */
export function messagesAttribution({ metadata }: JsonObject): BodyAttribution | null {
  return isObject(metadata) ? { ...splitUserId(metadata.user_id), labels: null } : null;
}
