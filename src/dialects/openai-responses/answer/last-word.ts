import { isObject, type JsonObject } from "../../../json/values.ts";
import { readFields } from "../../../sse/event.ts";

/** The response in a whole answer, or in the event that ends a stream; null if there is none. */
export function responseIn(lastWord: string | Uint8Array): JsonObject | null {
  const text = typeof lastWord === "string" ? lastWord : new TextDecoder().decode(lastWord);
  if (text.startsWith("{")) return objectOrNull(JSON.parse(text));
  const { data } = readFields({ bytes: new TextEncoder().encode(text) });
  const event = data === null ? null : objectOrNull(JSON.parse(data));
  return objectOrNull(event?.response);
}

function objectOrNull(value: unknown): JsonObject | null {
  return isObject(value) ? value : null;
}
