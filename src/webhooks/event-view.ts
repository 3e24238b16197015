import type { ListedEvent } from "./outbox.ts";

/** An event as operators are shown it. */
export function eventView(event: ListedEvent) {
  const { id, kind, accountId, createdAt, attempts, nextAttemptAt, deliveredAt, payload } = event;
  return {
    object: "event" as const,
    id,
    type: kind,
    account: accountId,
    created_at: Math.floor(createdAt / 1_000),
    failed_attempts: attempts,
    next_attempt_at: inSeconds(nextAttemptAt),
    delivered_at: inSeconds(deliveredAt),
    data: JSON.parse(payload) as unknown,
  };
}

function inSeconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.floor(milliseconds / 1_000);
}
