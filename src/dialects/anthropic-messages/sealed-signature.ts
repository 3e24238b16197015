import type { Signature } from "../../conversation/parts.ts";

/**
 * Signatures of other vendors, in the places where Anthropic has its own: callers hand these back unchanged, so they
 * survive a tool loop. A sealed signature is `tollgate.<vendor>.<of>.<length of the id>.<id><signature>`; any other is
 * Anthropic's own. Neither id nor signature is encoded: a signature may have hundreds of kilobytes, and a request thousands.
 */
const sealed = /^tollgate\.(openai|google)\.(next|previous|)\.(\d{1,6})\./;
/** Longer than all that the pattern matches. */
const maxPrefixLength = 64;

export interface Seal {
  readonly signature: Signature;
  /** The vendor's id of the reasoning item. */
  readonly id?: string | undefined;
  /** Set if the signature belongs to a neighbouring block that has no place for one (text, a tool call). */
  readonly of?: "next" | "previous" | undefined;
}

/** The text to put in place of a signature. Anthropic's own stays as it is. */
export function sealSignature({ signature, id = "", of }: Seal): string {
  if (signature.vendor === "anthropic") return signature.value;
  return `tollgate.${signature.vendor}.${of ?? ""}.${id.length}.${id}${signature.value}`;
}

/** Reads what `sealSignature` wrote, or Anthropic's own signature. */
export function unsealSignature(text: string): Seal {
  const found = text.startsWith("tollgate.") ? sealed.exec(text.slice(0, maxPrefixLength)) : null;
  if (found === null) return { signature: { vendor: "anthropic", value: text } };
  const [prefix, vendor, of, idLength] = found;
  const start = prefix.length + Number(idLength);
  return {
    signature: { vendor: vendor === "openai" ? "openai" : "google", value: text.slice(start) },
    id: text.slice(prefix.length, start) || undefined,
    of: of === "next" || of === "previous" ? of : undefined,
  };
}
