import type { WebSearchPart } from "../../../conversation/parts.ts";
import { encodeSearchItem } from "../answer/search-item.ts";
import type { EventWriter } from "./event-writer.ts";
import type { ItemPlace, ItemWriter } from "./item-writer.ts";

/** Writes a search of the web, which is told of while it goes on. */
export function openSearchWriter(
  start: WebSearchPart,
  { id, outputIndex }: ItemPlace,
  writer: EventWriter,
): ItemWriter {
  let { outcome } = start;
  const at = { item_id: id, output_index: outputIndex };
  const item = () => encodeSearchItem({ ...start, outcome }, id);
  return {
    open: () =>
      writer.event("response.output_item.added", {
        output_index: outputIndex,
        item: encodeSearchItem({ ...start, outcome: undefined }, id),
      }) +
      writer.event("response.web_search_call.in_progress", at) +
      writer.event("response.web_search_call.searching", at),
    push(delta) {
      if (delta.type === "search-outcome") outcome = delta.outcome;
      return "";
    },
    close() {
      const isGood = outcome !== undefined && "pages" in outcome;
      const completed = isGood ? writer.event("response.web_search_call.completed", at) : "";
      return completed + writer.event("response.output_item.done", { output_index: outputIndex, item: item() });
    },
    item,
  };
}
