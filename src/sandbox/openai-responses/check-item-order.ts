import type { JsonObject } from "../json.ts";
import { invalidValue } from "../openai-chat/check-value.ts";

const calls: Readonly<Record<string, string>> = {
  function_call: "function call",
  custom_tool_call: "custom tool call",
};

/** Rejects items without their counterparts: outputs without a call, calls without an output, reasoning at the end. */
export function checkItemOrder(items: readonly JsonObject[]): void {
  refuseDuplicates(items);
  const open = new Map<unknown, string>();
  items.forEach((item, index) => {
    const type = typeof item["type"] === "string" ? item["type"] : "message";
    const call = calls[type];
    if (call !== undefined) open.set(item["call_id"], call);
    else if (type.endsWith("_call_output")) answer(open, item, calls[type.replace(/_output$/, "")]);
    else if (type === "reasoning" && !leadsSomewhere(items[index + 1])) {
      const id = String(item["id"]);
      throw invalidValue("input", `Item '${id}' of type 'reasoning' was provided without its required following item.`);
    }
  });
  const [unanswered] = open;
  if (unanswered === undefined) return;
  const [id, kind] = unanswered;
  throw invalidValue("input", `No tool output found for ${kind} ${String(id)}.`);
}

function answer(open: Map<unknown, string>, item: JsonObject, kind: string | undefined): void {
  if (kind === undefined) return;
  if (open.get(item["call_id"]) === kind) {
    open.delete(item["call_id"]);
    return;
  }
  const id = String(item["call_id"]);
  throw invalidValue("input", `No tool call found for ${kind} output with call_id ${id}.`);
}

/** Reasoning must be followed by an item of the model. */
function leadsSomewhere(next: JsonObject | undefined): boolean {
  if (next === undefined || String(next["type"]).endsWith("_output")) return false;
  return next["role"] === undefined || next["role"] === "assistant";
}

function refuseDuplicates(items: readonly JsonObject[]): void {
  const seen = new Set<unknown>();
  for (const { id } of items) {
    if (typeof id !== "string") continue;
    if (seen.has(id)) {
      const message = `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`;
      throw invalidValue("input", message);
    }
    seen.add(id);
  }
}
