import { sniffMediaType } from "../http/sniff-content-type.ts";
import type { RemoteSource } from "../conversation/fields/remote-sources.ts";

/** Other names of types that providers know by one. */
const sameTypes: Readonly<Record<string, string>> = {
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "application/x-pdf": "application/pdf",
  "audio/mp3": "audio/mpeg",
  "audio/x-wav": "audio/wav",
  "audio/wave": "audio/wav",
  "audio/vnd.wave": "audio/wav",
  "application/ogg": "audio/ogg",
};

/** Said by servers that do not know what they serve. */
const unknownTypes: ReadonlySet<string> = new Set(["", "application/octet-stream", "binary/octet-stream"]);

/**
 * The media type of fetched bytes: by their server, or if the server does not know it, by their first bytes.
 * Null if that is nothing of the kind that was meant.
 */
export function mediaTypeOf(kind: RemoteSource["kind"], contentType: string | null, bytes: Uint8Array): string | null {
  const named = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const type = unknownTypes.has(named) ? sniffMediaType(bytes) : (sameTypes[named] ?? named);
  return type !== null && isOfKind(type, kind) ? type : null;
}

function isOfKind(type: string, kind: RemoteSource["kind"]): boolean {
  if (kind !== "document") return type.startsWith(`${kind}/`);
  return type === "application/pdf" || type === "application/json" || type.startsWith("text/");
}
