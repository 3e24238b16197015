import type { Part } from "../../conversation/parts.ts";
import type { TokenLogprob } from "../../conversation/response.ts";
import type { StreamEvent } from "../../conversation/stream.ts";
import type { JsonObject } from "../../json/values.ts";
import type { EventWriter } from "./event-writer.ts";
import { openCallWriter, openWholeWriter } from "./write-call.ts";
import { openMessageWriter } from "./write-message.ts";
import { openReasoningWriter } from "./write-reasoning.ts";
import type { ItemStatus } from "./output-item.ts";

export type PartDelta = Extract<
  StreamEvent,
  { type: "text-delta" | "input-delta" | "signature-delta" | "citation-delta" }
>;

/** Writes the events of one output item, from `output_item.added` to `output_item.done`. */
export interface ItemWriter {
  /** Once, first. */
  open(): string;
  push(delta: PartDelta): string;
  /** Of a text: log probabilities go with what is written next. */
  addLogprobs?(logprobs: readonly TokenLogprob[]): void;
  /** Once, last. */
  close(status: ItemStatus): string;
  /** The item as it is by now. */
  item(): JsonObject;
}

/** Where an item stands in its response. */
export interface ItemPlace {
  readonly id: string;
  readonly outputIndex: number;
}

/** Begins to write a part as an item; null where the dialect has none for it. */
export function openItemWriter(part: Part, place: ItemPlace, writer: EventWriter): ItemWriter | null {
  switch (part.type) {
    case "text":
    case "refusal":
      return openMessageWriter(part, place, writer);
    case "reasoning":
      return openReasoningWriter(part, place, writer);
    case "tool-call":
      return openCallWriter(part, place, writer);
    default:
      return openWholeWriter(part, place, writer);
  }
}
