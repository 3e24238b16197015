import type { TokenLogprob } from "../../../conversation/response.ts";
import type { StreamEvent } from "../../../conversation/stream.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { ItemStatus } from "../answer/output-item.ts";

export type PartDelta = Extract<
  StreamEvent,
  { type: "text-delta" | "input-delta" | "signature-delta" | "citation-delta" | "search-outcome" }
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

/** The position of an item in its response. */
export interface ItemPlace {
  readonly id: string;
  readonly outputIndex: number;
}
