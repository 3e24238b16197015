import { parseExactly } from "../json/exact-numbers.ts";
import type { ToolCallPart } from "./parts.ts";
import type { ConversationRequest } from "./request.ts";

/** The tool calls of a conversation by id, for results that must say more than the id (a name, a kind). */
export function toolCallsById(request: ConversationRequest): ReadonlyMap<string, ToolCallPart> {
  const calls = new Map<string, ToolCallPart>();
  for (const message of request.messages) {
    for (const part of message.parts) if (part.type === "tool-call") calls.set(part.id, part);
  }
  return calls;
}

/** The object in JSON text; null if it is truncated or not an object. Empty text is no arguments. */
export function parseToolInput(input: string): Readonly<Record<string, unknown>> | null {
  if (input.trim() === "") return {};
  try {
    const value = parseExactly(input);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
