import type { Part } from "../../../conversation/parts.ts";
import type { EventWriter } from "./event-writer.ts";
import type { ItemPlace, ItemWriter } from "./item-writer.ts";
import { openCallWriter, openWholeWriter } from "./write-call.ts";
import { openMessageWriter } from "./write-message.ts";
import { openReasoningWriter } from "./write-reasoning.ts";
import { openSearchWriter } from "./write-search.ts";

/** Begins to write a part as an item; null if the dialect has none for it. */
export function openItemWriter(part: Part, place: ItemPlace, writer: EventWriter): ItemWriter | null {
  switch (part.type) {
    case "text":
    case "refusal":
      return openMessageWriter(part, place, writer);
    case "reasoning":
      return openReasoningWriter(part, place, writer);
    case "tool-call":
      return openCallWriter(part, place, writer);
    case "web-search":
      return openSearchWriter(part, place, writer);
    default:
      return openWholeWriter(part, place, writer);
  }
}
