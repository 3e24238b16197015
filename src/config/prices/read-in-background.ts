import { askThread } from "../../ask-thread.ts";
import type { PriceFormat } from "../../billing/import/price-formats.ts";
import { PriceFileError } from "../../billing/import/price-file.ts";
import type { PriceMapReading } from "../../billing/import/read-price-map.ts";

/** A message to the thread. */
export interface ReadRequest {
  readonly text: string;
  readonly format: PriceFormat;
}

/** Its answer. */
export type ReadAnswer = { readonly reading: PriceMapReading } | { readonly refusal: string };

/** The largest file takes a second or two. */
const patienceMs = 30_000;

/** One file is read at a time. */
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a price file on a thread of its own: reading takes 0.2 s for a file of a megabyte, which every running stream would
 * feel. @throws as `readPriceText`
 */
export function readPricesInBackground(text: string, format: PriceFormat): Promise<PriceMapReading> {
  const reading = last.then(() => readOnThread({ text, format }));
  last = reading.catch(() => undefined);
  return reading;
}

async function readOnThread(request: ReadRequest): Promise<PriceMapReading> {
  const file = new URL("./read-prices-thread.ts", import.meta.url);
  const answer = await askThread<ReadAnswer>(file, request, patienceMs);
  if ("refusal" in answer) throw new PriceFileError(answer.refusal);
  return answer.reading;
}
