import { isObject } from "../json.ts";
import type { Motif } from "../pictures/draw.ts";
import { writePicture } from "../pictures/picture.ts";
import { checkScript } from "../script/directives.ts";
import type { Script } from "../script/script.ts";
import { Refusal } from "../refusal.ts";

export const picturePath = "/pictures/";

/** The address of a picture, which says all that it is made of. */
export function pictureUrl(origin: string, motif: Motif, { picture, picture_bytes, picture_url }: Script): string {
  const name = Buffer.from(JSON.stringify({ motif, script: { picture, picture_bytes } })).toString("base64url");
  return picture_url ?? `${origin}${picturePath}${name}.png`;
}

/** The bytes at an address. Throws a 404 if it is none. */
export function readPictureName(name: string): Uint8Array {
  const missing = new Refusal(404, "There is no such picture.");
  let said: unknown;
  try {
    said = JSON.parse(Buffer.from(name.replace(/\.png$/, ""), "base64url").toString());
  } catch {
    throw missing;
  }
  const motif = isObject(said) && isObject(said["motif"]) ? said["motif"] : null;
  if (motif === null || !isObject(said)) throw missing;
  const { text, width, height } = motif;
  if (typeof text !== "string" || typeof width !== "number" || typeof height !== "number") throw missing;
  if (!(width > 0 && width <= 4_096 && height > 0 && height <= 4_096)) throw missing;
  return writePicture({ text, width, height }, checkScript(said["script"] ?? {}, "script"));
}
