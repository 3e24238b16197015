import { isObject, type JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";

/** Parses a body as a JSON object. Throws OpenAI's error for anything else. */
export function parseBody(text: string): JsonObject {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new Refusal(
      400,
      "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
    );
  }
  if (isObject(body)) return body;
  throw new Refusal(400, "Invalid body: expected a JSON object.");
}
