import type { Part, ToolCallPart } from "../../../conversation/parts.ts";
import type { EventWriter } from "./event-writer.ts";
import type { ItemPlace, ItemWriter } from "./item-writer.ts";
import { encodeOutputItem, type ItemStatus } from "../answer/output-item.ts";

/** Writes a tool call. */
export function openCallWriter(start: ToolCallPart, { id, outputIndex }: ItemPlace, writer: EventWriter): ItemWriter {
  const pieces: string[] = [];
  let { signature } = start;
  let status: ItemStatus = "in_progress";

  const custom = start.kind === "custom";
  const at = { item_id: id, output_index: outputIndex };
  const inputEvent = custom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  const writeDelta = writer.deltas(`${inputEvent}.delta`, at);
  const item = () => encodeOutputItem({ ...start, input: pieces.join(""), signature }, id, status) ?? {};

  const write = (input: string): string => {
    pieces.push(input);
    return writeDelta(input);
  };

  return {
    open() {
      const added = writer.event("response.output_item.added", { output_index: outputIndex, item: item() });
      return start.input === "" ? added : added + write(start.input);
    },
    push(delta) {
      if (delta.type === "input-delta") return write(delta.input);
      if (delta.type === "signature-delta") signature = delta.signature;
      return "";
    },
    close(ended) {
      status = ended;
      const input = pieces.join("");
      const done = custom ? { ...at, input } : { ...at, name: start.name, arguments: input };
      return (
        writer.event(`${inputEvent}.done`, done) +
        writer.event("response.output_item.done", { output_index: outputIndex, item: item() })
      );
    },
    item,
  };
}

/** Writes an item that comes in one piece; null if the dialect has none for the part. */
export function openWholeWriter(part: Part, { id, outputIndex }: ItemPlace, writer: EventWriter): ItemWriter | null {
  const item = encodeOutputItem(part, id, "completed");
  if (item === null) return null;
  const fields = { output_index: outputIndex, item };
  return {
    open: () => writer.event("response.output_item.added", fields),
    push: () => "",
    close: () => writer.event("response.output_item.done", fields),
    item: () => item,
  };
}
