import type { StreamEvent } from "../../../conversation/stream.ts";
import { isObject, stringOrNull, type JsonObject } from "../../../json/values.ts";
import { AnswerFault } from "../../exchange.ts";
import { openCallDecoder, openWholeDecoder } from "./decode-call-events.ts";
import { openMessageDecoder } from "./decode-message-events.ts";
import { openReasoningDecoder } from "./decode-reasoning-events.ts";
import { logprobsOf } from "../answer/decode-output.ts";
import type { AnswerProfile } from "../answer/finish.ts";
import type { ItemDecoder } from "./item-decoder.ts";
import { openPartEmitter, type PartEmitter } from "./part-emitter.ts";

/** Reads the item events of a stream. What they say is appended to the list it was opened with. */
export interface ItemsDecoder extends AnswerProfile {
  push(event: JsonObject): void;
  /** Ends the open items, and reports those that are only in the final output. */
  finish(output: readonly JsonObject[]): void;
}

/**
 * Text, refusals and reasoning begin with their first character, so that what stays empty is no part, as in a whole
 * answer. Tool calls begin at once.
 */
export function openItemsDecoder(events: StreamEvent[]): ItemsDecoder {
  const items = new Set<ItemDecoder>();
  const byIndex = new Map<number, ItemDecoder>();
  /** Of a server that sends no output index (llama.cpp). */
  const byId = new Map<string, ItemDecoder>();
  const emitter = openPartEmitter(events);

  const open = (item: JsonObject): ItemDecoder => {
    const opened = openItemDecoder(item, emitter);
    items.add(opened);
    return opened;
  };

  const itemAt = (index: number, item: JsonObject): ItemDecoder => {
    const known = byIndex.get(index);
    if (known !== undefined) return known;
    const opened = open(item);
    byIndex.set(index, opened);
    return opened;
  };

  const addItem = (item: JsonObject): void => {
    const ids = idsOf(item);
    const [own = ""] = ids;
    // The arguments of two calls would run together.
    if (byId.has(own)) throw new AnswerFault("The provider's stream holds two items of one id.");
    const opened = open(item);
    for (const id of ids) byId.set(id, opened);
  };

  const itemOf = (ids: readonly string[], item: JsonObject): ItemDecoder => {
    const decoder = findById(ids) ?? open(item);
    for (const id of ids) byId.set(id, decoder);
    return decoder;
  };

  const findById = (ids: readonly string[]): ItemDecoder | undefined => {
    const known = ids.find((id) => byId.has(id));
    return known === undefined ? undefined : byId.get(known);
  };

  return {
    push(event) {
      const { type, item, output_index: index } = event;
      if (type === "response.output_item.added" || type === "response.output_item.done") {
        if (!isObject(item)) return;
        if (typeof index !== "number" && type === "response.output_item.added") {
          addItem(item);
          return;
        }
        const decoder = typeof index === "number" ? itemAt(index, item) : itemOf(idsOf(item), item);
        if (type === "response.output_item.done") decoder.finish(item);
      } else if (typeof index === "number") byIndex.get(index)?.push(event);
      else if (isOfItem(type)) findById(idsOf(event))?.push(event);
    },
    finish(output) {
      // Some servers say all there is in the last event alone.
      if (items.size === 0) for (const item of output) open(item).finish(item);
      for (const item of items) item.close();
      emitter.logprobs(output.flatMap(logprobsOf).slice(emitter.logprobCount));
    },
    get hasToolCalls() {
      return emitter.hasToolCalls;
    },
    get hasRefusal() {
      return emitter.hasRefusal;
    },
  };
}

const itemEvents =
  /^response\.(output_text|refusal|reasoning_text|reasoning_summary_(text|part)|content_part|function_call_arguments|custom_tool_call_input)\./;

/** Whether an event belongs to an item; all others report progress. */
function isOfItem(type: unknown): boolean {
  return typeof type === "string" && itemEvents.test(type);
}

/** The names of an item, or of the item that an event is of. Throws if there are none: items would run together. */
function idsOf({ item_id: itemId, id, call_id: callId }: JsonObject): readonly string[] {
  const ids = [itemId, id, callId].filter((name): name is string => typeof name === "string" && name !== "");
  if (ids.length > 0) return ids;
  throw new AnswerFault("The provider's stream holds an event that does not say which item it is of.");
}

function openItemDecoder(item: JsonObject, emitter: PartEmitter): ItemDecoder {
  switch (item.type) {
    case "message":
      return openMessageDecoder(stringOrNull(item.phase) ?? undefined, emitter);
    case "reasoning":
      return openReasoningDecoder(stringOrNull(item.id) ?? undefined, emitter);
    case "function_call":
    case "custom_tool_call":
      return openCallDecoder(item, emitter);
    default:
      return openWholeDecoder(emitter);
  }
}
