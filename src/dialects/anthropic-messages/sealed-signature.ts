import type { Signature } from "../../conversation/parts.ts";
import { parseSmall } from "../../json/structure.ts";
import { isObject } from "../../json/values.ts";

/**
 * Signatures of other vendors, in the places where Anthropic has its own: callers hand these back unchanged, so they
 * survive a tool loop. A sealed signature names its vendor; one without the mark is Anthropic's own.
 */
const mark = "tollgate.";

/** A caller may put anything behind the mark. */
const maxSealedValues = 64;

export interface Seal {
  readonly signature: Signature;
  /** The vendor's id of the reasoning item. */
  readonly id?: string | undefined;
  /** Set if the signature belongs to a neighbouring block that has no place for one (text, a tool call). */
  readonly of?: "next" | "previous" | undefined;
}

/** The text to put in place of a signature. Anthropic's own stays as it is. */
export function sealSignature({ signature, id, of }: Seal): string {
  if (signature.vendor === "anthropic") return signature.value;
  const sealed = JSON.stringify({ vendor: signature.vendor, value: signature.value, id, of });
  return mark + Buffer.from(sealed).toString("base64url");
}

/** Reads what `sealSignature` wrote, or Anthropic's own signature. */
export function unsealSignature(text: string): Seal {
  const own: Seal = { signature: { vendor: "anthropic", value: text } };
  if (!text.startsWith(mark)) return own;
  try {
    const sealed = parseSmall(Buffer.from(text.slice(mark.length), "base64url").toString(), maxSealedValues);
    if (!isObject(sealed) || typeof sealed.value !== "string") return own;
    if (sealed.vendor !== "openai" && sealed.vendor !== "google") return own;
    return {
      signature: { vendor: sealed.vendor, value: sealed.value },
      id: typeof sealed.id === "string" ? sealed.id : undefined,
      of: sealed.of === "next" || sealed.of === "previous" ? sealed.of : undefined,
    };
  } catch {
    return own;
  }
}
