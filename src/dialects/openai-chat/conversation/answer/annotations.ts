import type { Citation } from "../../../../conversation/parts.ts";
import { isObject, type JsonObject } from "../../../../json/values.ts";

/** Citations as `annotations`; those without a form here are left out. Undefined if none is left. */
export function encodeAnnotations(citations: readonly Citation[] | undefined, offset = 0): JsonObject[] | undefined {
  const annotations = (citations ?? []).flatMap((citation) => encodeAnnotation(citation, offset));
  return annotations.length === 0 ? undefined : annotations;
}

/** `offset` is where the cited part begins within the message's whole text. */
function encodeAnnotation(citation: Citation, offset: number): JsonObject[] {
  const { native, url, title = "", start = 0 } = citation;
  if (native?.vendor === "openai") return isOfChat(native.value) ? [native.value] : [];
  if (url === undefined) return [];
  // OpenAI requires a range: it is empty if the provider did not send one.
  const { end = start } = citation;
  return [{ type: "url_citation", url_citation: { url, title, start_index: start + offset, end_index: end + offset } }];
}

/** In chat, what an annotation says is a member named after its type; in Responses, such as of a cited file, it is flat. */
function isOfChat(annotation: JsonObject): boolean {
  return isObject(annotation[String(annotation.type)]);
}
