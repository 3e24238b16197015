import type { ReasoningPart } from "../../../conversation/parts.ts";
import type { EventWriter } from "./event-writer.ts";
import type { ItemPlace, ItemWriter } from "./item-writer.ts";
import { encodeReasoningItem } from "../answer/reasoning.ts";

/** Writes reasoning as an item whose text is one summary part, opened when there is text. */
export function openReasoningWriter(start: ReasoningPart, place: ItemPlace, writer: EventWriter): ItemWriter {
  const pieces: string[] = [];
  let { signature } = start;

  const item = () => encodeReasoningItem({ ...start, text: pieces.join(""), signature }, place.id);
  const at = { item_id: item().id, output_index: place.outputIndex, summary_index: 0 };
  const writeDelta = writer.deltas("response.reasoning_summary_text.delta", at);

  const writeText = (text: string): string => {
    const part = { type: "summary_text", text: "" };
    const opening = pieces.length === 0 ? writer.event("response.reasoning_summary_part.added", { ...at, part }) : "";
    pieces.push(text);
    return opening + writeDelta(text);
  };

  return {
    open() {
      const added = writer.event("response.output_item.added", { output_index: place.outputIndex, item: item() });
      return start.text === "" ? added : added + writeText(start.text);
    },
    push(delta) {
      if (delta.type === "text-delta") return delta.text === "" ? "" : writeText(delta.text);
      if (delta.type === "signature-delta") signature = delta.signature;
      return "";
    },
    close() {
      // Events are numbered as they are written: the text's come before the item's.
      const textDone = pieces.length === 0 ? "" : finishText(pieces.join(""));
      return textDone + writer.event("response.output_item.done", { output_index: place.outputIndex, item: item() });
    },
    item,
  };

  function finishText(text: string): string {
    const part = { type: "summary_text", text };
    return (
      writer.event("response.reasoning_summary_text.done", { ...at, text }) +
      writer.event("response.reasoning_summary_part.done", { ...at, part })
    );
  }
}
