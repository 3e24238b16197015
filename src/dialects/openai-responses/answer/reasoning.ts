import { createHash } from "node:crypto";
import type { ReasoningPart } from "../../../conversation/parts.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";
import { encryptedContentOf, readEncryptedContent } from "../signatures.ts";

/** The separator between the parts of a summary that is written as one text. */
export const summarySeparator = "\n\n";

/**
 * Reads a reasoning item: its own text if the model shows it, else its summary. Null if it holds neither text nor
 * seal, as such an item is empty.
 */
export function decodeReasoningItem(item: JsonObject, path?: string): ReasoningPart | null {
  const text = textsOf(item.content) || textsOf(item.summary);
  const sealed = readEncryptedContent(item.encrypted_content);
  if (text === "" && sealed === null) return null;
  return {
    type: "reasoning",
    text,
    signature: sealed?.signature,
    redacted: isRedacted(text, sealed),
    id: stringOrNull(item.id) ?? undefined,
    path,
  };
}

/** `true`, or absent. OpenAI's reasoning is hidden if it has no text; others say it themselves. */
export function isRedacted(text: string, sealed: ReturnType<typeof readEncryptedContent>): true | undefined {
  if (sealed === null) return undefined;
  return sealed.redacted || (sealed.signature.vendor === "openai" && text === "") ? true : undefined;
}

function textsOf(parts: unknown): string {
  return listOrEmpty(parts)
    .map((part) => (isObject(part) ? (stringOrNull(part.text) ?? "") : ""))
    .filter((text) => text !== "")
    .join(summarySeparator);
}

/** A finished reasoning item. `id` is used if the part has none of OpenAI's. */
export function encodeReasoningItem(part: ReasoningPart, id: string): JsonObject {
  return {
    id: part.id?.startsWith("rs_") === true ? part.id : id,
    type: "reasoning",
    summary: part.text === "" ? [] : [{ type: "summary_text", text: part.text }],
    encrypted_content: encryptedContentOf(part),
  };
}

/** An id for reasoning that has none: the same each time it is sent. */
export function reasoningIdOf(part: ReasoningPart): string {
  const seed = part.signature?.value ?? part.text;
  return `rs_${createHash("sha256").update(seed).digest("hex").slice(0, 48)}`;
}
