import type { Signature, Vendor } from "../../conversation/parts.ts";
import { parseSmall } from "../../json/structure.ts";
import { isObject, stringOrNull } from "../../json/values.ts";

/**
 * A `thoughtSignature`, read. Callers hand signatures back unchanged, so another vendor's can travel in one: as base64,
 * which is all a client library knows of signatures, behind a mark that distinguishes it from Google's own.
 */
export interface ReadSignature {
  readonly signature: Signature;
  /** The vendor's id of the reasoning item, if it had one. */
  readonly id?: string | undefined;
  /** The signature stands for reasoning whose text the vendor hid. */
  readonly redacted?: boolean | undefined;
}

/** The value that Google documents for an earlier function call whose signature is unknown. */
export const unknownSignature = "skip_thought_signature_validator";

const mark = "tollgate:";
/** Nine bytes, so their base64 is whole characters and begins every marked signature. */
const encodedMark = Buffer.from(mark).toString("base64");

/** A caller may put anything behind the mark. */
const maxSealedValues = 64;

const vendors: readonly Vendor[] = ["openai", "anthropic", "google"];

/** Null if the value is no signature. */
export function readSignature(value: unknown): ReadSignature | null {
  if (typeof value !== "string" || value === "" || value === unknownSignature) return null;
  return readMarked(value) ?? { signature: { vendor: "google", value } };
}

function readMarked(value: string): ReadSignature | null {
  if (!value.startsWith(encodedMark)) return null;
  try {
    const sealed = parseSmall(Buffer.from(value, "base64").toString("utf8").slice(mark.length), maxSealedValues);
    if (!isObject(sealed) || typeof sealed.value !== "string") return null;
    const vendor = vendors.find((known) => known === sealed.vendor);
    if (vendor === undefined) return null;
    return {
      signature: { vendor, value: sealed.value },
      id: stringOrNull(sealed.id) ?? undefined,
      redacted: sealed.redacted === true || undefined,
    };
  } catch {
    return null;
  }
}

/** Writes a signature for a caller to hand back. */
export function writeSignature({ signature, id, redacted }: ReadSignature): string {
  if (signature.vendor === "google" && id === undefined) return signature.value;
  const sealed = { ...signature, id, redacted: redacted === true || undefined };
  return Buffer.from(mark + JSON.stringify(sealed)).toString("base64");
}
