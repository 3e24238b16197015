import type { JsonObject } from "../../../json/values.ts";

/** Reads the events of one output item. */
export interface ItemDecoder {
  /** An event between `output_item.added` and `output_item.done`. */
  push(event: JsonObject): void;
  /** The item as it is in the end: what no event has said before is said now. */
  finish(item: JsonObject): void;
  /** Ends what is still open. */
  close(): void;
}
