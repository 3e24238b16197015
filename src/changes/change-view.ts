import type { Change } from "./change.ts";

/** A change in the admin API and in the output of commands. Times are in Unix seconds. */
export function changeView({ sequence, createdAt, by, kind, id, action, before, after }: Change) {
  return { object: "change", sequence, created_at: Math.floor(createdAt / 1000), by, kind, id, action, before, after };
}
