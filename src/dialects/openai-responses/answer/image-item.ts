import type { ImagePart } from "../../../conversation/parts.ts";
import { stringOrNull, type JsonObject } from "../../../json/values.ts";

/** The image of an `image_generation_call`; null if it holds none. */
export function decodeImageItem(item: JsonObject): ImagePart | null {
  const base64 = stringOrNull(item.result);
  if (base64 === null || base64 === "") return null;
  const mediaType = `image/${stringOrNull(item.output_format) ?? "png"}`;
  return { type: "image", source: { type: "data", mediaType, base64 } };
}

/** An image in an answer as the item of OpenAI's image tool; null for an image that is not inline. */
export function encodeImageItem({ source }: ImagePart, id: string): JsonObject | null {
  if (source.type !== "data") return null;
  const format = source.mediaType.replace(/^image\//, "");
  return { id, type: "image_generation_call", status: "completed", result: source.base64, output_format: format };
}
