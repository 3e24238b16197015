import type { Part, ReasoningPart, Vendor } from "../../../conversation/parts.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../../json/values.ts";

/**
 * `reasoning_details` of a message: signed reasoning in the form OpenRouter made common, so that signatures survive a
 * caller who echoes the message back. `index` is the place among the message's parts.
 */
const formats: Readonly<Record<Vendor, string>> = {
  anthropic: "anthropic-claude-v1",
  google: "google-gemini-v1",
  openai: "openai-responses-v1",
};

/** The details that say these parts' signed reasoning; empty if none is signed. */
export function encodeReasoningDetails(parts: readonly Part[]): JsonObject[] {
  const details: JsonObject[] = [];
  parts.forEach((part, index) => {
    const detail = part.type === "reasoning" ? encodeReasoningDetail(part, index) : null;
    if (detail !== null) details.push(detail);
  });
  return details;
}

export function encodeReasoningDetail(part: ReasoningPart, index: number): JsonObject | null {
  const { signature, id } = part;
  if (signature === undefined) return null;
  const format = formats[signature.vendor];
  if (part.redacted === true) return { type: "reasoning.encrypted", data: signature.value, id, format, index };
  return { type: "reasoning.text", text: part.text, signature: signature.value, id, format, index };
}

/** A detail read back: the part, and its place if the detail has it. */
export interface PlacedReasoning {
  readonly part: ReasoningPart;
  readonly index: number | null;
}

export function decodeReasoningDetails(details: unknown, path?: string): PlacedReasoning[] {
  const placed: PlacedReasoning[] = [];
  listOrEmpty(details).forEach((detail, position) => {
    if (!isObject(detail)) return;
    const part = decodeDetail(detail, path === undefined ? undefined : `${path}[${position}]`);
    const index = typeof detail.index === "number" ? detail.index : null;
    if (part !== null) placed.push({ part, index });
  });
  return placed;
}

function decodeDetail(detail: JsonObject, path: string | undefined): ReasoningPart | null {
  const vendor = vendorOf(detail.format);
  const id = stringOrNull(detail.id) ?? undefined;
  const value = stringOrNull(detail.data) ?? stringOrNull(detail.signature);
  const signature = value === null || vendor === null ? undefined : { vendor, value };
  if (detail.type === "reasoning.encrypted") {
    return signature === undefined ? null : { type: "reasoning", text: "", signature, redacted: true, id, path };
  }
  const text = stringOrNull(detail.text) ?? stringOrNull(detail.summary) ?? "";
  return text === "" && signature === undefined ? null : { type: "reasoning", text, signature, id, path };
}

function vendorOf(format: unknown): Vendor | null {
  if (typeof format !== "string") return null;
  if (format.startsWith("anthropic")) return "anthropic";
  if (format.startsWith("google")) return "google";
  return format.startsWith("openai") ? "openai" : null;
}
