import type { EndpointInput } from "../endpoint.ts";
import { type AttemptStep, type Found, type Search, tryCandidate } from "./try-candidate.ts";

/** One of the attempts that race. */
interface Lane {
  readonly controller: AbortController;
  readonly result: Promise<Found | null>;
}

/** Why a call is ended whose answer is not wanted any more. */
const slower = new Error("Another target was quicker.");

/**
 * Asks one candidate and, when it has been silent for `afterMs`, a second one. The first to answer wins, and the other is
 * ended. Null where neither answers; throws as `tryCandidate` does.
 */
export async function tryHedged<Input extends EndpointInput>(
  search: Search<Input>,
  first: AttemptStep,
  afterMs: number,
): Promise<Found | null> {
  const { services, journey, schedule } = search;
  const { cancelled } = journey;
  const lanes = new Set<Lane>();
  const endAll = (reason: unknown) => lanes.forEach(({ controller }) => controller.abort(reason));
  const onCancelled = () => endAll(cancelled.reason);
  const start = (step: AttemptStep) => {
    const controller = new AbortController();
    const lane = { controller, result: tryCandidate(search, step, controller.signal) };
    // Of a lane that has lost nobody asks any more.
    lane.result.catch(() => undefined);
    lanes.add(lane);
  };

  const silence = Promise.withResolvers<"silent">();
  const deadline = services.deadlines.watch(services.clock.now() + afterMs, () => silence.resolve("silent"));
  cancelled.addEventListener("abort", onCancelled, { once: true });
  let isHedged = false;
  start(first);
  try {
    while (lanes.size > 0) {
      const outcomes = [...lanes].map((lane) => lane.result.then((found) => ({ lane, found })));
      const next = await Promise.race(isHedged ? outcomes : [...outcomes, silence.promise]);
      if (next === "silent") {
        isHedged = true;
        const second = schedule.nextToHedge();
        if (second) start({ ...second, turn: null });
        continue;
      }
      lanes.delete(next.lane);
      if (next.found) return next.found;
    }
    return null;
  } finally {
    services.deadlines.unwatch(deadline);
    cancelled.removeEventListener("abort", onCancelled);
    endAll(slower);
    lanes.forEach(({ result }) => void result.then(discard, () => undefined));
  }
}

/** An answer that came all the same, in the same moment as the winner's. */
function discard(found: Found | null): void {
  found?.attempt.abandoned("lost");
  if (found?.answer.kind === "stream") found.answer.events.call.cancel(slower);
}
