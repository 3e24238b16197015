import { countValues } from "../../../json/structure.ts";
import { isObject, stringOrNull, type JsonObject } from "../../../json/values.ts";

/**
 * `reasoning_details` in the place of a tool call's signature. Some callers hand back `reasoning_content` and each call's
 * `extra_content`, and nothing else that they do not know: so the signatures of other vendors survive there too. Texts
 * are not repeated: of each only its length is kept.
 */
const mark = "tollgate.";

/** A caller may put anything behind the mark. These bound all signatures of a request: JSON values, and characters. */
const maxSealedValues = 20_000;
const maxSealedLength = 8 << 20;

/** What is expected of a request that has more. */
export const tooManySealed = `signatures of at most ${maxSealedValues.toLocaleString("en")} values and ${maxSealedLength} characters in all`;

/** What the signatures of a request may still have. */
export interface SealedRoom {
  values: number;
  length: number;
}

export const newSealedRoom = (): SealedRoom => ({ values: maxSealedValues, length: maxSealedLength });

/** The text to put in place of a signature; null if no other vendor than Google has signed. */
export function sealDetails(details: readonly JsonObject[]): string | null {
  if (details.every(({ format }) => String(format).startsWith("google"))) return null;
  const sealed = details.map(({ text, ...rest }) =>
    typeof text === "string" ? { ...rest, length: text.length } : rest,
  );
  return mark + Buffer.from(JSON.stringify(sealed)).toString("base64url");
}

export function isSealed(signature: string): boolean {
  return signature.startsWith(mark);
}

/**
 * The details again, with their texts cut from the message's reasoning; none if that is no longer the same length. Null if
 * the signatures of the request have too many values or characters.
 */
export function unsealDetails(signature: string, reasoning: string, room: SealedRoom): JsonObject[] | null {
  const sealed = readSealed(signature, room);
  if (sealed === null) return null;
  let read = 0;
  const details = sealed.map(({ length, ...rest }) => {
    if (typeof length !== "number") return rest;
    const text = reasoning.slice(read, read + length);
    read += length;
    return { ...rest, text };
  });
  return read === reasoning.length ? details : [];
}

function readSealed(signature: string, room: SealedRoom): JsonObject[] | null {
  room.length -= signature.length;
  if (room.length < 0) return null;
  const text = Buffer.from(signature.slice(mark.length), "base64url").toString();
  room.values -= countValues(text, room.values);
  if (room.values < 0) return null;
  try {
    const sealed: unknown = JSON.parse(text);
    return Array.isArray(sealed) ? sealed.filter(isObject) : [];
  } catch {
    return [];
  }
}

/** The signature at the place where Google's compatibility layer has it, of any vendor. */
export function signatureIn(extra: unknown): string | null {
  const google = isObject(extra) && isObject(extra.google) ? extra.google : undefined;
  return stringOrNull(google?.thought_signature);
}
