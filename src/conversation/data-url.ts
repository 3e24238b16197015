import type { Source } from "./parts.ts";

const pattern = /^data:([^;,]*)((?:;[^;,]*)*),/i;

/** The bytes and media type of a base64 data URL; null for any other URL. */
export function parseDataUrl(url: string): { readonly mediaType: string; readonly base64: string } | null {
  const head = pattern.exec(url);
  if (head === null || !/;base64$/i.test(head[2] ?? "")) return null;
  return {
    mediaType: head[1] === "" ? "text/plain" : (head[1] ?? "").toLowerCase(),
    base64: url.slice(head[0].length),
  };
}

export function dataUrl(mediaType: string, base64: string): string {
  return `data:${mediaType};base64,${base64}`;
}

/** The source that a URL of either kind names. */
export function sourceOfUrl(url: string): Source {
  const data = parseDataUrl(url);
  return data === null ? { type: "url", url } : { type: "data", ...data };
}
