import type { CallerVoice } from "./endpoint.ts";
import type { Journey } from "./journey.ts";
import type { Services } from "./services.ts";

/** What delivery needs beside the answer. */
export interface Delivery {
  readonly services: Services;
  readonly journey: Journey;
  readonly voice: CallerVoice;
  readonly headers: Readonly<Record<string, string>>;
  readonly estimateInput: () => Promise<number>;
}
