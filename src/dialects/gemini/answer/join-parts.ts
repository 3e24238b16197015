import type { Part, ReasoningPart, TextPart } from "../../../conversation/parts.ts";

/**
 * Joins the text and the thoughts of a model's turn that a stream had cut into pieces. A piece that is signed ends what
 * it belongs to; the signature may come by itself.
 */
export function joinModelParts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last !== undefined && continues(last, part)) joined[joined.length - 1] = joinedWith(last, part);
    else joined.push(part);
  }
  return joined;
}

type Textual = TextPart | ReasoningPart;

function continues(last: Part, part: Part): part is Textual {
  if (part.type !== "text" && part.type !== "reasoning") return false;
  if (last.type !== part.type || last.signature !== undefined) return false;
  // Hidden reasoning of another vendor's is a piece of its own.
  return part.type === "text" || part.redacted !== true || part.signature?.vendor === "google";
}

function joinedWith(last: Part, part: Textual): Part {
  const text = (last.type === "text" || last.type === "reasoning" ? last.text : "") + part.text;
  const signature = part.signature;
  if (part.type === "text") return { ...part, text, signature, path: last.path };
  return { ...part, text, signature, redacted: text === "" || undefined, path: last.path };
}
