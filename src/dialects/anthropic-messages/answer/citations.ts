import type { Citation } from "../../../conversation/parts.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";

/** Reads a text block's `citations`; undefined if there are none. */
export function decodeCitations(value: unknown): readonly Citation[] | undefined {
  const citations = listOrEmpty(value).filter(isObject).map(decodeCitation);
  return citations.length === 0 ? undefined : citations;
}

/** The whole object is kept beside what every dialect understands: Anthropic wants it back as it was. */
export function decodeCitation(citation: JsonObject): Citation {
  return {
    url: stringOrNull(citation.url) ?? undefined,
    title: stringOrNull(citation.title) ?? stringOrNull(citation.document_title) ?? undefined,
    citedText: stringOrNull(citation.cited_text) ?? undefined,
    native: { vendor: "anthropic", value: citation },
  };
}

/** Writes citations; those of other vendors as search results, which have an address. */
export function encodeCitations(citations: readonly Citation[] | undefined): JsonObject[] | undefined {
  const encoded = (citations ?? []).flatMap((citation) => {
    const value = encodeCitation(citation);
    return value === null ? [] : [value];
  });
  return encoded.length === 0 ? undefined : encoded;
}

export function encodeCitation({ native, url, title, citedText }: Citation): JsonObject | null {
  if (native?.vendor === "anthropic") return native.value;
  if (url === undefined) return null;
  return {
    type: "web_search_result_location",
    url,
    title: title ?? null,
    cited_text: citedText ?? "",
    encrypted_index: Buffer.from(url).toString("base64"),
  };
}
