import { askThread } from "../../ask-thread.ts";
import type { PriceFormat } from "../../billing/prices/import/price-formats.ts";
import { overloaded } from "../../errors.ts";
import { PriceFileError } from "../../billing/prices/import/price-file.ts";
import type { PriceMapReading } from "../../billing/prices/import/read-price-map.ts";

/** A message to the thread. */
export interface ReadRequest {
  readonly text: string;
  readonly format: PriceFormat;
}

/** Its answer. */
export type ReadAnswer = { readonly reading: PriceMapReading } | { readonly refusal: string };

/** The largest file takes a second or two. */
const patienceMs = 30_000;
const waitSeconds = 2;

/** One file is read at a time; so many wait. */
const maxWaiting = 4;
let waiting = 0;
let last: Promise<unknown> = Promise.resolve();

/**
 * Reads a price file on a thread of its own: reading takes 0.2 s for a file of a megabyte, which every running stream would
 * feel. @throws as `readPriceText`; 503 if too many files wait
 */
export function readPricesInBackground(text: string, format: PriceFormat): Promise<PriceMapReading> {
  if (waiting >= maxWaiting) {
    return Promise.reject(overloaded("overloaded", "Other price files are being read.", waitSeconds));
  }
  waiting++;
  const reading = last.then(() => readOnThread({ text, format })).finally(() => waiting--);
  last = reading.catch(() => undefined);
  return reading;
}

async function readOnThread(request: ReadRequest): Promise<PriceMapReading> {
  const file = new URL("./read-prices-thread.ts", import.meta.url);
  const answer = await askThread<ReadAnswer>(file, request, patienceMs);
  if ("refusal" in answer) throw new PriceFileError(answer.refusal);
  return answer.reading;
}
