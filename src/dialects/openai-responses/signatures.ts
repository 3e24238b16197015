import type { ReasoningPart, Signature } from "../../conversation/parts.ts";
import { isObject, stringOrNull, type JsonObject } from "../../json/values.ts";

/**
 * `encrypted_content` holds OpenAI's own seal as it is. Other vendors' signatures travel there under their vendor's
 * name, so that a caller who sends an answer's items back returns them too. OpenAI's seals have no colon.
 */
const foreign = /^(anthropic|google)(\.redacted)?:/;

export function encryptedContentOf({ signature, redacted }: ReasoningPart): string | undefined {
  if (signature === undefined || signature.vendor === "openai") return signature?.value;
  return `${signature.vendor}${redacted === true ? ".redacted" : ""}:${signature.value}`;
}

export interface SealedReasoning {
  readonly signature: Signature;
  /** Whether the vendor hid the text. Only for other vendors' reasoning: OpenAI's without text is hidden. */
  readonly redacted: boolean;
}

export function readEncryptedContent(value: unknown): SealedReasoning | null {
  if (typeof value !== "string" || value === "") return null;
  const head = foreign.exec(value);
  if (head === null) return { signature: { vendor: "openai", value }, redacted: false };
  const vendor = head[1] === "google" ? "google" : "anthropic";
  return { signature: { vendor, value: value.slice(head[0].length) }, redacted: head[2] !== undefined };
}

/** Gemini signs text and tool calls too; Google's own compatibility layer names the field. Nothing for other vendors. */
export function signatureFields(signature: Signature | undefined): JsonObject {
  if (signature?.vendor !== "google") return {};
  return { extra_content: { google: { thought_signature: signature.value } } };
}

export function readSignatureFields(extraContent: unknown): Signature | undefined {
  const google = isObject(extraContent) && isObject(extraContent.google) ? extraContent.google : undefined;
  const value = stringOrNull(google?.thought_signature);
  return value === null ? undefined : { vendor: "google", value };
}
