import type { Journey } from "./journey.ts";
import type { Services } from "./services.ts";

/** A request has ended: what it held while it ran is others' again. */
export function leave({ inFlight }: Services, journey: Journey): void {
  journey.admission?.release();
  journey.hold?.release();
  inFlight.remove();
  journey.onSettled();
}
