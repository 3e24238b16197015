import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import type { Memory } from "../memory.ts";
import { invalidValue } from "../openai-chat/check-value.ts";
import { Refusal } from "../refusal.ts";
import { checkInput } from "./check-input.ts";
import { checkItemOrder } from "./check-item-order.ts";
import { findItem, findStored } from "./stored-response.ts";

/**
 * The items of a request: those of the previous response, then its own, with references resolved. Throws OpenAI's error for
 * items that are not stored or do not belong together.
 */
export function readInput(body: JsonObject, memory: Memory): readonly JsonObject[] {
  checkInput(body["input"]);
  const given = body["input"];
  const own: readonly unknown[] =
    typeof given === "string" ? [{ type: "message", role: "user", content: given }] : listOrEmpty(given);
  const resolved = own.map((item) => resolveItem(objectOrEmpty(item), memory));
  const items = [...previousItems(body["previous_response_id"], memory), ...resolved];
  checkItemOrder(items);
  return items;
}

function previousItems(id: unknown, memory: Memory): readonly JsonObject[] {
  if (typeof id !== "string") return [];
  const stored = findStored(id, memory);
  if (stored === null) {
    const message = `Previous response with id '${id.slice(0, 100)}' not found.`;
    throw invalidValue("previous_response_id", message, "previous_response_not_found");
  }
  return [...stored.input, ...listOrEmpty(stored.response["output"]).map(objectOrEmpty)];
}

/** Reasoning without encrypted content refers to the stored item with its id. */
function resolveItem(item: JsonObject, memory: Memory): JsonObject {
  const sealed = item["encrypted_content"] !== undefined && item["encrypted_content"] !== null;
  const refers = item["type"] === "item_reference" || (item["type"] === "reasoning" && !sealed);
  if (!refers) return item;
  const id = String(item["id"]);
  const found = findItem(id, memory);
  if (found !== null) return found;
  const advice =
    "Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.";
  throw new Refusal(404, `Item with id '${id.slice(0, 100)}' not found. ${advice}`, { param: "input" });
}
