import type { JsonObject } from "../../../json/values.ts";

/** Reads the events of one output item. */
export interface ItemDecoder {
  /** An event between `output_item.added` and `output_item.done`. */
  push(event: JsonObject): void;
  /** The final item: content that no event had is reported now. */
  finish(item: JsonObject): void;
  /** Ends what is still open. */
  close(): void;
}
