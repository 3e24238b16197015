import { dataUrl, sourceOfUrl } from "../../../conversation/data-url.ts";
import type { ImagePart, Part, TextPart } from "../../../conversation/parts.ts";

/**
 * Answers of this dialect hold no images, and clients refuse blocks they do not know. An image that a model draws is
 * written as text, in the form that readers of Markdown show; null for one that is stored at its vendor.
 */
export function imageAsText({ source, signature }: ImagePart): TextPart | null {
  if (source.type === "file") return null;
  const url = source.type === "url" ? source.url : dataUrl(source.mediaType, source.base64);
  return { type: "text", text: `![image](${url})`, signature };
}

const written = /^!\[image\]\((data:image\/[^\s)]+|https?:[^\s)]+)\)$/;

/** A part of the assistant's turn as it was before `imageAsText`: the model is shown an image, not its text. */
export function textAsImage(part: Part): Part {
  if (part.type !== "text" || !part.text.startsWith("![image](")) return part;
  const url = written.exec(part.text)?.[1];
  if (url === undefined) return part;
  const { signature, cache, path } = part;
  return { type: "image", source: sourceOfUrl(url), signature, cache, path };
}
