import type { Citation } from "../../../conversation/parts.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";

/**
 * Reads what a candidate's text rests on: search results (`groundingMetadata`) and sources it repeats
 * (`citationMetadata`). Google counts in bytes of the text, which is given; `offset` is where, in UTF-16 units, the part
 * begins that the citations are for.
 */
export function decodeCitations(candidate: JsonObject, text: string, offset: number): Citation[] {
  const place = placesIn(text, offset);
  const { groundingMetadata: grounding, citationMetadata: sources } = candidate;
  return [
    ...(isObject(grounding) ? decodeGrounding(grounding, place) : []),
    ...(isObject(sources) ? decodeSources(sources, place) : []),
  ];
}

type Placed = Pick<Citation, "start" | "end" | "citedText">;
type PlaceOf = (start: unknown, end: unknown) => Placed;

function placesIn(text: string, offset: number): PlaceOf {
  const bytes = Buffer.from(text, "utf8");
  const unitsBefore = unitCounter(bytes);
  return (start, end) => {
    const first = typeof start === "number" ? start : 0;
    if (typeof end !== "number" || !(first >= 0 && first <= end && end <= bytes.length)) return {};
    const from = unitsBefore(first) - offset;
    // A passage before the part has no offset within it.
    return from < 0 ? {} : { start: from, end: unitsBefore(end) - offset };
  };
}

/** Bytes that are counted for one place at most. */
const countedBytes = 1_024;

/** Counts the UTF-16 units before places of UTF-8, in any order: a provider may cite thousands of places. */
function unitCounter(bytes: Uint8Array): (place: number) => number {
  /** Before each multiple of `countedBytes`. */
  const known = [0];
  const unitsIn = (from: number, to: number): number => {
    let units = 0;
    for (let place = from; place < to; place++) {
      const byte = bytes[place] ?? 0;
      // The further bytes of a character are none of their own; one of four bytes is two units.
      if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
    }
    return units;
  };
  return (place) => {
    const step = Math.floor(place / countedBytes);
    for (let next = known.length; next <= step; next++) {
      known.push((known[next - 1] ?? 0) + unitsIn((next - 1) * countedBytes, next * countedBytes));
    }
    return (known[step] ?? 0) + unitsIn(step * countedBytes, place);
  };
}

function decodeGrounding(grounding: JsonObject, place: PlaceOf): Citation[] {
  const chunks = listOrEmpty(grounding.groundingChunks);
  const supports = listOrEmpty(grounding.groundingSupports).filter(isObject);
  if (supports.length === 0) return chunks.flatMap((chunk) => decodeChunk(chunk, {}));
  return supports.flatMap((support) => {
    const segment = isObject(support.segment) ? support.segment : {};
    const placed = place(segment.startIndex, segment.endIndex);
    return listOrEmpty(support.groundingChunkIndices).flatMap((index) =>
      decodeChunk(typeof index === "number" ? chunks[index] : undefined, placed),
    );
  });
}

function decodeChunk(chunk: unknown, placed: Placed): Citation[] {
  if (!isObject(chunk)) return [];
  const cited = [chunk.web, chunk.retrievedContext, chunk.maps, chunk.image].find(isObject);
  return [
    {
      url: stringOrNull(cited?.uri) ?? stringOrNull(cited?.sourceUri) ?? undefined,
      title: stringOrNull(cited?.title) ?? undefined,
      ...placed,
      native: { vendor: "google", value: chunk },
    },
  ];
}

function decodeSources(sources: JsonObject, place: PlaceOf): Citation[] {
  return listOrEmpty(sources.citations)
    .filter(isObject)
    .map((source) => ({
      url: stringOrNull(source.uri) ?? undefined,
      title: stringOrNull(source.title) ?? undefined,
      ...place(source.startIndex, source.endIndex),
      native: { vendor: "google", value: source },
    }));
}

/** A text that bears citations, in an answer to be written. */
export interface CitedText {
  readonly text: string;
  readonly citations: readonly Citation[];
}

/**
 * Writes citations as `groundingMetadata`, in bytes of all the candidate's text; undefined if there are none. A
 * citation without offsets is of its whole text.
 * @param queries what was searched for
 */
export function encodeCitations(texts: readonly CitedText[], queries: readonly string[] = []): JsonObject | undefined {
  const groundingChunks: JsonObject[] = [];
  const groundingSupports: JsonObject[] = [];
  let bytesBefore = 0;
  for (const { text, citations } of texts) {
    const bytesAt = byteCounter(text);
    for (const citation of citations) {
      const start = isWithinCharacter(text, citation.start) ? citation.start - 1 : (citation.start ?? 0);
      const end = isWithinCharacter(text, citation.end) ? citation.end + 1 : (citation.end ?? text.length);
      const segment = {
        startIndex: bytesBefore + bytesAt(start),
        endIndex: bytesBefore + bytesAt(end),
        text: text.slice(start, end),
      };
      groundingSupports.push({ segment, groundingChunkIndices: [groundingChunks.length] });
      groundingChunks.push(encodeChunk(citation));
    }
    bytesBefore += bytesAt(text.length);
  }
  if (queries.length > 0) return { webSearchQueries: queries, groundingChunks, groundingSupports };
  return groundingChunks.length === 0 ? undefined : { groundingChunks, groundingSupports };
}

/** Half a character is no Unicode, and JSON with it is refused by strict readers. Vendors count in units of their own. */
function isWithinCharacter(text: string, place: number | undefined): place is number {
  if (place === undefined || place === 0) return false;
  return (text.codePointAt(place - 1) ?? 0) > 0xffff;
}

function encodeChunk({ url, title, citedText, native }: Citation): JsonObject {
  if (native?.vendor === "google" && ("web" in native.value || "maps" in native.value)) return native.value;
  return url === undefined
    ? { retrievedContext: { title, text: citedText } }
    : { web: { uri: url, title: title ?? citedText } };
}

/** Counts the bytes before places of a text. Each is counted from the one before it, as an answer may cite a thousand times. */
function byteCounter(text: string): (place: number) => number {
  let known = 0;
  let bytes = 0;
  return (place) => {
    if (place >= known) bytes += Buffer.byteLength(text.slice(known, place), "utf8");
    else bytes -= Buffer.byteLength(text.slice(Math.max(0, place), known), "utf8");
    known = Math.min(Math.max(0, place), text.length);
    return bytes;
  };
}
