import type { Part, Source } from "../../conversation/parts.ts";

/** A part for bytes of this media type. Text that comes as a file is a document in plain text. */
export function mediaPart(source: Source, mediaType: string | undefined, title?: string): Part {
  const kind = mediaType?.split("/", 1)[0]?.toLowerCase();
  if (kind === "image") return { type: "image", source };
  if (kind === "audio") return { type: "audio", source };
  if (kind === "video") return { type: "video", source };
  if (mediaType === "text/plain" && source.type === "data") {
    return { type: "document", source: { type: "text", text: textOf(source.base64) }, title };
  }
  return { type: "document", source, title };
}

function textOf(base64: string): string {
  return Buffer.from(base64, "base64").toString("utf8");
}

/** The source of a file's address: a YouTube video, a file kept at Google, or any other URL. */
export function sourceOfFileUri(uri: string, mediaType: string | undefined): Source {
  if (!/^https?:/i.test(uri) || isGoogleFile(uri)) return { type: "file", vendor: "google", id: uri, mediaType };
  return { type: "url", url: uri, mediaType };
}

function isGoogleFile(uri: string): boolean {
  return /^https:\/\/generativelanguage\.googleapis\.com\//i.test(uri);
}

/** Addresses that Gemini itself opens. */
export function isYouTube(url: string): boolean {
  return /^https:\/\/((www|m)\.)?(youtube\.com\/|youtu\.be\/)/i.test(url);
}
