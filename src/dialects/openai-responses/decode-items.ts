import type { StreamEvent } from "../../conversation/stream.ts";
import { isObject, stringOrNull, type JsonObject } from "../../json/values.ts";
import { openCallDecoder, openWholeDecoder } from "./decode-call-events.ts";
import { openMessageDecoder } from "./decode-message-events.ts";
import { openReasoningDecoder } from "./decode-reasoning-events.ts";
import { logprobsOf } from "./decode-output.ts";
import type { AnswerTraits } from "./finish.ts";
import type { ItemDecoder } from "./item-decoder.ts";
import { openPartEmitter, type PartEmitter } from "./part-emitter.ts";

/** Reads the item events of a stream. What they say is appended to the list it was opened with. */
export interface ItemsDecoder extends AnswerTraits {
  push(event: JsonObject): void;
  /** Ends what the stream left open, and tells what is only in the output as it is in the end. */
  finish(output: readonly JsonObject[]): void;
}

/**
 * Text, refusals and reasoning begin with their first character, so that what stays empty is no part, as in a whole
 * answer. Tool calls begin at once.
 */
export function openItemsDecoder(events: StreamEvent[]): ItemsDecoder {
  const items = new Map<number, ItemDecoder>();
  const emitter = openPartEmitter(events);

  const itemAt = (outputIndex: number, item: JsonObject): ItemDecoder => {
    const known = items.get(outputIndex);
    if (known !== undefined) return known;
    const opened = openItemDecoder(item, emitter);
    items.set(outputIndex, opened);
    return opened;
  };

  return {
    push(event) {
      const outputIndex = typeof event.output_index === "number" ? event.output_index : 0;
      if (event.type === "response.output_item.added") {
        if (isObject(event.item)) itemAt(outputIndex, event.item);
      } else if (event.type === "response.output_item.done") {
        if (isObject(event.item)) itemAt(outputIndex, event.item).finish(event.item);
      } else items.get(outputIndex)?.push(event);
    },
    finish(output) {
      // Some servers say all there is in the last event alone.
      if (items.size === 0) output.forEach((item, outputIndex) => itemAt(outputIndex, item).finish(item));
      for (const item of items.values()) item.close();
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
