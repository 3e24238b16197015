import type { LastWord } from "../endpoint.ts";
import type { Journey } from "../journey.ts";
import type { Services } from "../services.ts";

/** What delivery needs beside the answer. */
export interface Delivery {
  readonly services: Services;
  readonly journey: Journey;
  readonly headers: Readonly<Record<string, string>>;
  readonly estimateInput: () => Promise<number>;
  /** To be awaited before a good answer's record is kept. */
  readonly keep: (lastWord: LastWord) => Promise<void>;
}
