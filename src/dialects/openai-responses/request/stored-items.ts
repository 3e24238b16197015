import { isObject, type JsonObject } from "../../../json/values.ts";

/**
 * What the input of a request begins with that names this response as its previous one: what was put in, then what came
 * out. `requestInput` is the request's own `input`, with whatever stood before it.
 */
export function storedItemsOf(requestInput: unknown, responseOutput: unknown, responseId: string): JsonObject[] {
  const output = Array.isArray(responseOutput) ? responseOutput.filter(isObject) : [];
  return [...inputItemsOf(requestInput, responseId), ...output];
}

/** The input of a request that continues a response: its items, then the new ones. */
export function continuedInput(stored: readonly JsonObject[], requestInput: unknown): unknown[] {
  const own: readonly unknown[] =
    typeof requestInput === "string"
      ? [{ type: "message", role: "user", content: requestInput }]
      : Array.isArray(requestInput)
        ? requestInput
        : [];
  return [...stored, ...own];
}

/**
 * An input as the items that `input_items` lists: a text as a message, short messages written out, each with an id.
 * Ids that are missing are made of the response's id and the item's place, so that they are the same each time.
 */
export function inputItemsOf(requestInput: unknown, responseId: string): JsonObject[] {
  if (typeof requestInput === "string") {
    return inputItemsOf([{ type: "message", role: "user", content: requestInput }], responseId);
  }
  const items: readonly unknown[] = Array.isArray(requestInput) ? requestInput : [];
  return items.filter(isObject).map((item, index) => wholeItem(item, responseId, index));
}

const idPrefixes: Readonly<Record<string, string>> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
};

function wholeItem(item: JsonObject, responseId: string, index: number): JsonObject {
  const type = typeof item.type === "string" ? item.type : "message";
  const id = typeof item.id === "string" ? item.id : `${idPrefixes[type] ?? "item"}_${placeOf(responseId, index)}`;
  if (type !== "message") return { ...item, id };
  return { ...item, id, type, status: item.status ?? "completed", content: wholeContent(item) };
}

function wholeContent({ role, content }: JsonObject): unknown {
  if (typeof content !== "string") return content;
  return role === "assistant"
    ? [{ type: "output_text", text: content, annotations: [] }]
    : [{ type: "input_text", text: content }];
}

/** Output items have no `i` before their place, and those of other servers are rarely so alike. */
function placeOf(responseId: string, index: number): string {
  return `${responseId.replace(/^resp_/, "")}i${index.toString(16).padStart(4, "0")}`;
}

/** The response whose input has the item with this id, made by `inputItemsOf`; null for any other id. */
export function responseOfInputItem(itemId: string): string | null {
  const suffix = /^[a-z]+_(.+)i[0-9a-f]{4,}$/.exec(itemId)?.[1];
  return suffix === undefined ? null : `resp_${suffix}`;
}

/** How a list is asked for; each is the query parameter of that name. */
export interface ListQuery {
  /** 1 to 100. */
  readonly limit: number;
  /** `desc`: newest first. */
  readonly order: "asc" | "desc";
  /** Begin behind the item of this id. */
  readonly after: string | null;
}

/** One page of a response's input items. An `after` that is not among them begins the list. */
export function listInputItems(items: readonly JsonObject[], { limit, order, after }: ListQuery): JsonObject {
  const ordered = order === "asc" ? items : items.toReversed();
  const begin = after === null ? 0 : ordered.findIndex((item) => item.id === after) + 1;
  const data = ordered.slice(begin, begin + limit);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: begin + limit < ordered.length,
  };
}
