import type { StreamEvent } from "./stream.ts";

/**
 * Reorders a stream so that at most one part of a candidate is open at any time: what comes for a part that starts while
 * another is open waits until that one has ended. For dialects whose grammar has no interleaving.
 */
export interface PartQueue {
  push(event: StreamEvent): readonly StreamEvent[];
}

type PartEvent = Extract<StreamEvent, { index: number }>;

interface CandidateQueue {
  /** Index of the part whose events pass; null between parts. */
  open: number | null;
  /** Events of parts that wait, by index, in the order the parts started. */
  readonly waiting: Map<number, PartEvent[]>;
}

export function openPartQueue(): PartQueue {
  const candidates = new Map<number, CandidateQueue>();
  return {
    push(event) {
      if (!("index" in event)) return [event];
      let queue = candidates.get(event.candidate);
      if (queue === undefined) candidates.set(event.candidate, (queue = { open: null, waiting: new Map() }));
      return pass(queue, event);
    },
  };
}

function pass(queue: CandidateQueue, event: PartEvent): readonly StreamEvent[] {
  if (event.type === "part-start" && queue.open === null) queue.open = event.index;
  if (event.index !== queue.open) {
    const held = queue.waiting.get(event.index);
    if (held === undefined) queue.waiting.set(event.index, [event]);
    else held.push(event);
    return [];
  }
  if (event.type !== "part-end") return [event];
  return [event, ...next(queue)];
}

/** After a part has ended: all that waits, up to and with the first part that is still open. */
function next(queue: CandidateQueue): PartEvent[] {
  const passed: PartEvent[] = [];
  queue.open = null;
  for (const [index, events] of queue.waiting) {
    queue.waiting.delete(index);
    passed.push(...events);
    if (events.at(-1)?.type !== "part-end") {
      queue.open = index;
      break;
    }
  }
  return passed;
}
