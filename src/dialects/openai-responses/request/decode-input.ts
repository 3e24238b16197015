import type { Part } from "../../../conversation/parts.ts";
import type { Message } from "../../../conversation/request.ts";
import { invalidParameter, missingParameter } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import { optionalString } from "../../fields/read-field.ts";
import type { Unknown } from "../../fields/unknown-fields.ts";
import { summaryInstruction } from "../compaction.ts";
import { decodeItem, type DecodedItem } from "./decode-item.ts";

/** Reads `instructions` and `input`. Items of one turn become one message: the model's, or all results of its calls. */
export function decodeInput(body: JsonObject, unknown: Unknown): Message[] {
  const messages: Message[] = [];
  const instructions = optionalString(body.instructions, "instructions");
  if (instructions !== undefined && instructions !== "") {
    const path = "instructions";
    messages.push({ role: "system", parts: [{ type: "text", text: instructions, path }], path });
  }
  const { input } = body;
  if (input === undefined || input === null) throw missingParameter("input");
  if (typeof input === "string") {
    messages.push({ role: "user", parts: [{ type: "text", text: input, path: "input" }], path: "input" });
    return messages;
  }
  if (!Array.isArray(input)) throw invalidParameter("input", "a string or an array of items");
  if (input.length === 0) throw invalidParameter("input", "at least one item");
  input.forEach((item: unknown, index) => {
    const path = `input[${index}]`;
    if (!isObject(item)) throw invalidParameter(path, "an object");
    if (item.type === "compaction_trigger" && index === input.length - 1) {
      messages.push(summaryInstruction(path));
      return;
    }
    add(messages, decodeItem(item, path, unknown), path);
  });
  return messages;
}

function add(messages: Message[], item: DecodedItem, path: string): void {
  const last = messages.at(-1);
  if (item.type === "result") {
    if (last?.role === "tool") messages[messages.length - 1] = withParts(last, [item.part]);
    else messages.push({ role: "tool", parts: [item.part], path });
    return;
  }
  if (item.type === "turn") {
    if (item.part === null) return;
    if (last?.role === "assistant") messages[messages.length - 1] = withParts(last, [item.part]);
    else messages.push({ role: "assistant", parts: [item.part], path });
    return;
  }
  const { role, parts, phase } = item;
  // Agents hand back messages that came to nothing.
  if (role === "assistant" && parts.length === 0) return;
  if (role !== "assistant" || last?.role !== "assistant" || startsAnew(last, phase)) {
    messages.push({ role, parts, phase, path });
  } else messages[messages.length - 1] = { ...withParts(last, parts), phase };
}

/** A message has one phase: text of another phase is another message. */
function startsAnew(last: Message, phase: string | undefined): boolean {
  return last.phase !== phase && (last.phase !== undefined || last.parts.some(isText));
}

function isText(part: Part): boolean {
  return part.type === "text" || part.type === "refusal";
}

function withParts(message: Message, parts: readonly Part[]): Message {
  return { ...message, parts: [...message.parts, ...parts] };
}
