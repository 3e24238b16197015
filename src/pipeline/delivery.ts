import type { Journey } from "./journey.ts";
import type { Services } from "./services.ts";

/** What delivery needs beside the answer. */
export interface Delivery {
  readonly services: Services;
  readonly journey: Journey;
  readonly headers: Readonly<Record<string, string>>;
  readonly estimateInput: () => Promise<number>;
}
