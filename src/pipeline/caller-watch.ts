import type { RequestContext } from "./request-context.ts";

/** Notices callers who leave before they are answered. */
export interface CallerWatch {
  add(context: RequestContext): void;
}

const tickMs = 20;

/**
 * Listening to a connection costs a microsecond, and most requests are over before anyone could leave: so only those
 * that are still under way at the next tick are listened to. A caller who left before it is noticed then.
 */
export function createCallerWatch(): CallerWatch {
  let added: RequestContext[] = [];
  let isScheduled = false;
  const tick = () => {
    isScheduled = false;
    const due = added;
    added = [];
    for (const context of due) context.watchCaller();
  };
  return {
    add(context) {
      added.push(context);
      if (isScheduled) return;
      isScheduled = true;
      setTimeout(tick, tickMs);
    },
  };
}
