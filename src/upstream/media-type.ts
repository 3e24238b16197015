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

/** How files of the usual types begin. A dot stands for any byte. */
const beginnings: readonly (readonly [beginning: RegExp, type: string])[] = [
  [/^\x89PNG\r\n\x1a\n/s, "image/png"],
  [/^\xff\xd8\xff/s, "image/jpeg"],
  [/^GIF8[79]a/s, "image/gif"],
  [/^RIFF.{4}WEBP/s, "image/webp"],
  [/^%PDF-/s, "application/pdf"],
  [/^RIFF.{4}WAVE/s, "audio/wav"],
  [/^(ID3|\xff[\xfb\xf3\xf2])/s, "audio/mpeg"],
  [/^OggS/s, "audio/ogg"],
  [/^fLaC/s, "audio/flac"],
  [/^.{4}ftyp/s, "video/mp4"],
  [/^\x1a\x45\xdf\xa3/s, "video/webm"],
];

/**
 * The media type of fetched bytes: by their server, or if the server does not know it, by their first bytes.
 * Null if that is nothing of the kind that was meant.
 */
export function mediaTypeOf(kind: RemoteSource["kind"], contentType: string | null, bytes: Uint8Array): string | null {
  const named = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  const type = unknownTypes.has(named) ? sniffed(bytes) : (sameTypes[named] ?? named);
  return type !== null && isOfKind(type, kind) ? type : null;
}

function sniffed(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 16)).toString("latin1");
  return beginnings.find(([beginning]) => beginning.test(start))?.[1] ?? null;
}

function isOfKind(type: string, kind: RemoteSource["kind"]): boolean {
  if (kind !== "document") return type.startsWith(`${kind}/`);
  return type === "application/pdf" || type === "application/json" || type.startsWith("text/");
}
