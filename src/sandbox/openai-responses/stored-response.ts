import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import type { Memory } from "../memory.ts";
import { integer } from "../openai-chat/check-value.ts";
import { Refusal } from "../refusal.ts";

/** A stored response. */
export interface StoredResponse {
  readonly response: JsonObject;
  /** The input items, including those of the history. */
  readonly input: readonly JsonObject[];
}

/** Null if there is none with this id. */
export function findStored(id: string, memory: Memory): StoredResponse | null {
  const kept = objectOrEmpty(memory.get(id));
  if (kept["kind"] !== "response") return null;
  return {
    response: objectOrEmpty(kept["response"]),
    input: listOrEmpty(kept["input"]).map(objectOrEmpty),
  };
}

/** Stores a response and its items, for later references. */
export function keepResponse(stored: StoredResponse, memory: Memory): void {
  memory.set(String(stored.response["id"]), { kind: "response", ...stored });
  for (const item of [...stored.input, ...listOrEmpty(stored.response["output"]).map(objectOrEmpty)]) {
    if (typeof item["id"] === "string") memory.set(item["id"], { kind: "item", item });
  }
}

/** A stored item; null if there is none with this id. */
export function findItem(id: string, memory: Memory): JsonObject | null {
  const kept = objectOrEmpty(memory.get(id));
  return kept["kind"] === "item" ? objectOrEmpty(kept["item"]) : null;
}

/** `GET /v1/responses/{id}`. Throws OpenAI's 404. */
export function retrieveResponse(id: string, memory: Memory): unknown {
  return found(id, memory).response;
}

/** `DELETE /v1/responses/{id}`. Throws OpenAI's 404. */
export function deleteResponse(id: string, memory: Memory): unknown {
  found(id, memory);
  memory.delete(id);
  return { id, object: "response", deleted: true };
}

/** `GET /v1/responses/{id}/input_items`: newest first by default. Throws OpenAI's 404 and 400. */
export function listInputItems(id: string, memory: Memory, query: URLSearchParams): unknown {
  const { input } = found(id, memory);
  const limit = Number(query.get("limit") ?? "20");
  integer(1, 100)(limit, "limit");
  const items = query.get("order") === "asc" ? input : input.toReversed();
  const start = items.findIndex((item) => item["id"] === query.get("after")) + 1;
  const data = items.slice(start, start + limit);
  const has_more = start + limit < items.length;
  return { object: "list", data, first_id: data[0]?.["id"] ?? null, last_id: data.at(-1)?.["id"] ?? null, has_more };
}

function found(id: string, memory: Memory): StoredResponse {
  const stored = findStored(id, memory);
  if (stored === null) throw new Refusal(404, `Response with id '${id.slice(0, 100)}' not found.`);
  return stored;
}
