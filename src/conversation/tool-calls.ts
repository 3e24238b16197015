import { parseExactly } from "../json/exact-numbers.ts";
import { tooComplex } from "../json/read-object.ts";
import { JsonTooComplex, jsonBounds, measureStructure, smallJsonBytes, tooDeep } from "../json/structure.ts";
import { scanTopLevel } from "../json/top-level.ts";
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

/**
 * Bounds what it takes to parse the arguments of all tool calls of a request: within a body they are strings, which are
 * not looked into when the body is read. Throws a 400.
 */
export function checkToolInputs({ messages }: ConversationRequest): void {
  const inputs = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" && part.kind === "function" ? [part.input] : [])),
  );
  if (inputs.length === 0) return;
  try {
    checkStructure(inputs.length === 1 ? (inputs[0] ?? "") : `[${inputs.join()}]`);
  } catch (error) {
    throw error instanceof JsonTooComplex ? tooComplex(error) : error;
  }
}

/**
 * The object in JSON text; null if it is truncated, not an object, or too complex to be parsed at once. Empty text is no
 * arguments.
 */
export function parseToolInput(input: string): Readonly<Record<string, unknown>> | null {
  if (input.trim() === "") return {};
  try {
    checkStructure(input);
    const value = parseExactly(input);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}

function checkStructure(json: string): void {
  if (json.length > smallJsonBytes) measureStructure(Buffer.from(json));
  else if (json.length > jsonBounds.depth && scanTopLevel(json, noNames).depth > jsonBounds.depth) throw tooDeep();
}

const noNames: ReadonlySet<string> = new Set();
