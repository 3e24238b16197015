import type { Citation } from "../../../conversation/parts.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";

/** `annotations` as citations; undefined if there are none. */
export function decodeAnnotations(value: unknown): readonly Citation[] | undefined {
  const citations = listOrEmpty(value).filter(isObject).map(decodeAnnotation);
  return citations.length === 0 ? undefined : citations;
}

/** Reads one annotation: an address is understood, files are carried as they are. */
export function decodeAnnotation(annotation: JsonObject): Citation {
  if (annotation.type !== "url_citation") return { native: { vendor: "openai", value: annotation } };
  return {
    url: stringOrNull(annotation.url) ?? undefined,
    title: stringOrNull(annotation.title) ?? undefined,
    start: typeof annotation.start_index === "number" ? annotation.start_index : undefined,
    end: typeof annotation.end_index === "number" ? annotation.end_index : undefined,
  };
}

/** Citations as `annotations`. Those without a form here are left out. */
export function encodeAnnotations(citations: readonly Citation[] | undefined): JsonObject[] {
  return (citations ?? []).flatMap((citation) => {
    const annotation = encodeAnnotation(citation);
    return annotation === null ? [] : [annotation];
  });
}

export function encodeAnnotation({ native, url, title, start, end }: Citation): JsonObject | null {
  // Chat nests what an annotation says below its type, which client libraries refuse here.
  if (native?.vendor === "openai") return isObject(native.value[String(native.value.type)]) ? null : native.value;
  if (url === undefined) return null;
  return { type: "url_citation", url, title: title ?? "", start_index: start ?? 0, end_index: end ?? 0 };
}
