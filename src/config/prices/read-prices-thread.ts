/** The thread behind `read-in-background.ts`. */

import { PriceFileError } from "../../billing/prices/import/price-file.ts";
import type { ReadAnswer, ReadRequest } from "./read-in-background.ts";
import { readPriceText } from "./read-price-text.ts";

globalThis.addEventListener("message", ({ data }: MessageEvent<ReadRequest>) => {
  postMessage(answer(data));
});

function answer({ text, format }: ReadRequest): ReadAnswer {
  try {
    return { reading: readPriceText(text, format) };
  } catch (error) {
    if (error instanceof PriceFileError) return { refusal: error.message };
    throw error;
  }
}
